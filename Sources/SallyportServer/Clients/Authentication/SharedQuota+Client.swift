extension SharedQuota {
  /// Takes one use of `resource`, a resource of this client, from the share of the caller's address, unless the caller
  /// is authenticated. If no operator added the client, also takes one use of `shared`, a resource that all such
  /// clients share. Registering more clients therefore does not increase the share of an address.
  /// - Returns: Nil if one of the shares is used up.
  func admit(
    _ client: AuthenticatedClient, at address: ClientAddress, to resource: LimitedResource,
    withoutOperator shared: LimitedResource
  ) -> Admission? {
    let caller = client.caller(at: address)
    if client.record.origin != .operator, self.admit(caller, to: shared) == nil { return nil }
    return self.admit(caller, to: resource)
  }
}
