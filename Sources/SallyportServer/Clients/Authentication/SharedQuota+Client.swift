extension SharedQuota {
  /// Takes one use of `operation` from the share of the caller's address. A confidential client that an operator
  /// registered is exempt.
  ///
  /// If no operator registered the client, also takes one use of `shared` from the share of the address. All such
  /// clients use the same `shared` operation, so registering more clients does not increase the share of an address.
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
