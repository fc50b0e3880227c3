import SallyportProtocol

/// Stores pushed authorization requests (RFC 9126).
///
/// A user can open the `request_uri` several times, even in different browsers. All uses share one interaction (sign-in
/// and consent), and the first decision of the user ends it.
package struct PushedRequests: Sendable {
  let store: any Store
  let sealer: Sealer
  let lifetimes: Lifetimes
  let quota: SharedQuota
  let now: TimeSource

  /// The prefix of a `request_uri` (RFC 9126 §2.2).
  package static var requestURIPrefix: String { "urn:ietf:params:oauth:request_uri:" }

  private static func context(_ client: ClientID) -> String { "pushed request of \(client.rawValue)" }

  /// Why a request was not stored.
  enum StorageError: Error { case quota, proofReplayed, storage(StoreError) }

  /// Stores a request and consumes its DPoP proof, in one transaction.
  /// - Returns: The `request_uri`.
  func save(
    _ form: FormParameters, of authenticated: AuthenticatedClient, _ proof: UnusedDPoPProof?, from address: ClientAddress
  ) async throws(StorageError) -> String {
    let client = authenticated.record
    let (now, token) = (self.now(), OpaqueToken.random(.pushedRequest))
    let text = FormParameters.encode(form.all)
    guard let sealed = try? self.sealer.seal(text.utf8, context: Self.context(client.id)) else {
      throw .storage(.unavailable(reason: "the request cannot be encrypted"))
    }
    let record = PushedRequestRecord(
      fingerprint: token.fingerprint, client: client.id, sealedParameters: sealed,
      expiresAt: now + self.lifetimes.pushedRequest)
    guard
      let admission = self.quota.admit(
        authenticated, at: address, to: .pushedRequests(of: client.id), ifUnverified: .pushedRequestsOfUnverifiedClients)
    else { throw .quota }
    let failure: StorageError?
    do {
      failure = try await self.store.write { (tx) throws(StoreError) -> StorageError? in
        guard try admission.countUnlessReached(in: &tx, at: now) else { return .quota }
        if let proof, try !proof.consume(in: &tx) { return .proofReplayed }
        try tx.insert(record)
        return nil
      }
    } catch { throw .storage(error) }
    if let failure { throw failure }
    return Self.requestURIPrefix + token.text.reveal()
  }

  /// Returns the request with this `request_uri`.
  /// - Returns: Nil if the `request_uri` is unknown, has expired, or belongs to another client, or if the user
  ///   has already allowed or denied the request.
  func find(_ uri: String, for client: ClientRecord) async throws(StoreError) -> PushedRequest? {
    guard let token = OpaqueToken(.pushedRequest, String(uri.dropFirst(Self.requestURIPrefix.count))) else { return nil }
    let (fingerprint, now, id) = (token.fingerprint, self.now(), client.id)
    let interaction = "pushed.\(Base64URL.encode(fingerprint.bytes))"
    let record = try await self.store.read { (snapshot) throws(StoreError) -> PushedRequestRecord? in
      guard let record = try snapshot.pushedRequest(fingerprint), record.client == id, now < record.expiresAt,
        try !snapshot.isInteractionConsumed(interaction)
      else { return nil }
      return record
    }
    guard let record, let text = try? self.sealer.open(record.sealedParameters, context: Self.context(id)),
      let form = try? FormParameters(
        parsing: String(decoding: text, as: UTF8.self), repeatable: ResourceIndicators.repeatableNames)
    else { return nil }
    return PushedRequest(form: form, interaction: interaction, expiresAt: record.expiresAt)
  }
}
