package import SallyportProtocol

/// Seals and opens the client secrets of upstreams, and the content of requests to them.
package struct UpstreamSecrets: Sendable {
  private let sealer: Sealer

  package init(_ masterKey: MasterKey) {
    self.sealer = masterKey.sealer(for: "upstreams")
  }

  /// Seals the client secret of an upstream for the store.
  /// - Parameter id: The identifier of the upstream.
  package func seal(_ secret: Secret<String>, of id: String) throws(SealError) -> [UInt8] {
    try self.sealer.seal(secret.reveal().utf8, context: Self.context(id))
  }

  /// Opens the sealed client secret of an upstream.
  /// - Throws: ``SealError`` if the secret cannot be opened, for example because the store was restored without its key
  ///   file.
  func open(_ sealed: [UInt8], of id: String) throws(SealError) -> Secret<String> {
    Secret(String(decoding: try self.sealer.open(sealed, context: Self.context(id)), as: UTF8.self))
  }

  /// Seals the content of an authorization request to an upstream.
  /// - Parameter state: The fingerprint of the request's `state`.
  func seal(_ content: [UInt8], state: Fingerprint) throws(SealError) -> [UInt8] {
    try self.sealer.seal(content, context: Self.context(state))
  }

  /// Opens the sealed content of an authorization request to an upstream.
  func open(_ record: UpstreamRequestRecord) throws(SealError) -> [UInt8] {
    try self.sealer.open(record.sealedContent, context: Self.context(record.fingerprint))
  }

  // A context ties a sealed value to its upstream or request: with another context, the value cannot be opened.
  private static func context(_ id: String) -> String { "secret of \(id)" }
  private static func context(_ state: Fingerprint) -> String { "request \(Base64URL.encode(state.bytes))" }
}
