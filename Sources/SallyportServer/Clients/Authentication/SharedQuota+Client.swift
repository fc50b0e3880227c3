extension SharedQuota {
  /// Counts one request against the caller's quota for the client's resource. If no operator added the client, the
  /// request also counts against the caller's quota for `shared`, the resource that all such clients share. Registering
  /// more clients therefore does not increase the caller's quota.
  func admit(
    _ client: AuthenticatedClient, at address: ClientAddress, to resource: LimitedResource,
    withoutOperator shared: LimitedResource
  ) -> Admission? {
    let caller = client.caller(at: address)
    if client.record.origin != .operator, self.admit(caller, to: shared) == nil { return nil }
    return self.admit(caller, to: resource)
  }
}
