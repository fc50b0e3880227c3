import SallyportProtocol

/// Keeps authorization requests that their clients pushed, RFC 9126, until a person has answered them.
///
/// A person may open the address again, in another browser too: all openings are one interaction, and the first decision burns it.
package struct PushedRequests: Sendable {
  let store: any Store
  let sealer: Sealer
  let configuration: ServerConfiguration
  let now: TimeSource

  /// RFC 9126 §2.2.
  package static var scheme: String { "urn:ietf:params:oauth:request_uri:" }

  private static func context(_ client: ClientID) -> String { "pushed request of \(client.rawValue)" }

  /// - Returns: the `request_uri`; nil where the client has had too many in the last minute.
  func keep(_ form: FormParameters, of client: ClientRecord) async throws(StoreError) -> String? {
    let (now, token) = (self.now(), OpaqueToken.random(.pushedRequest))
    let text = FormParameters.encode(form.all)
    guard let sealed = try? self.sealer.seal(text.utf8, context: Self.context(client.id)) else { throw .refused }
    let record = PushedRequestRecord(
      fingerprint: token.fingerprint, client: client.id, sealedParameters: sealed,
      expiresAt: now + self.configuration.lifetimes.pushedRequest)
    let (mark, quota) = (RequestQuota.mark("pushed request", client.id), self.configuration.requestsPerMinute)
    let isKept = try await self.store.write { (tx) throws(StoreError) -> Bool in
      guard try tx.countAttempt(mark, window: RequestQuota.window, at: now) <= quota else { return false }
      try tx.insert(record)
      return true
    }
    return isKept ? Self.scheme + token.text.reveal() : nil
  }

  /// The request behind a `request_uri`, for its own client.
  /// - Returns: nil for one that is unknown, expired, answered, or another client's.
  func find(_ uri: String, for client: ClientRecord) async throws(StoreError) -> PushedRequest? {
    guard let token = OpaqueToken(.pushedRequest, String(uri.dropFirst(Self.scheme.count))) else { return nil }
    let (fingerprint, now, id) = (token.fingerprint, self.now(), client.id)
    let interaction = "pushed.\(Base64URL.encode(fingerprint.bytes))"
    let record = try await self.store.read { (snapshot) throws(StoreError) -> PushedRequestRecord? in
      guard let record = try snapshot.pushedRequest(fingerprint), record.client == id, now < record.expiresAt,
        try !snapshot.isInteractionBurned(interaction)
      else { return nil }
      return record
    }
    guard let record, let text = try? self.sealer.open(record.sealedParameters, context: Self.context(id)),
      let form = try? FormParameters(
        parsing: String(decoding: text, as: UTF8.self), repeatable: ResourceIndicators.parameter)
    else { return nil }
    return PushedRequest(form: form, interaction: interaction, expiresAt: record.expiresAt)
  }
}
