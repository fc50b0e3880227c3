extension SharedQuota {
  /// Takes one use of `operation`, an operation of this client, from the share of the caller's address, unless the
  /// caller is authenticated. If no operator registered the client, also takes one use of `shared`, an operation whose
  /// quota all such clients share. Registering more clients therefore does not increase the share of an address.
  /// - Returns: Nil if one of the shares is used up.
  func admit(
    _ client: AuthenticatedClient, at address: ClientAddress, to operation: LimitedOperation,
    ifUnverified shared: LimitedOperation
  ) -> Admission? {
    let caller = client.caller(at: address)
    if client.record.origin != .operator, self.admit(caller, to: shared) == nil { return nil }
    return self.admit(caller, to: operation)
  }
}
