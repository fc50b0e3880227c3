import SallyportProtocol

/// Keeps authorization requests that their clients pushed, RFC 9126, and gives each back once.
package struct PushedRequests<S: Store>: Sendable {
  let store: S
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

  /// The request behind a `request_uri`, for its own client, once.
  /// - Returns: nil for one that is unknown, expired, used, or another client's.
  func take(_ uri: String, for client: ClientRecord) async throws(StoreError) -> FormParameters? {
    guard let token = OpaqueToken(.pushedRequest, String(uri.dropFirst(Self.scheme.count))) else { return nil }
    let (fingerprint, now, id) = (token.fingerprint, self.now(), client.id)
    let record = try await self.store.write { (tx) throws(StoreError) -> PushedRequestRecord? in
      guard let record = try tx.pushedRequest(fingerprint), record.client == id, now < record.expiresAt,
        try tx.consumePushedRequest(fingerprint, at: now)
      else { return nil }
      return record
    }
    guard let record, let text = try? self.sealer.open(record.sealedParameters, context: Self.context(id)) else { return nil }
    return try? FormParameters(parsing: String(decoding: text, as: UTF8.self), repeatable: ResourceIndicators.parameter)
  }
}
