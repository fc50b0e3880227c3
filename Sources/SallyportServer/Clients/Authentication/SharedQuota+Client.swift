extension SharedQuota {
  /// Takes one use from the share of the caller's address, for the client's resource. If no operator added the client,
  /// it also takes one use for the resource of all such clients, so that registering more clients does not increase the
  /// share.
  func admit(
    _ client: AuthenticatedClient, at address: ClientAddress, to resource: LimitedResource,
    withoutOperator shared: LimitedResource
  ) -> Admission? {
    let caller = client.caller(at: address)
    if client.record.origin != .operator, self.admit(caller, to: shared) == nil { return nil }
    return self.admit(caller, to: resource)
  }
}
