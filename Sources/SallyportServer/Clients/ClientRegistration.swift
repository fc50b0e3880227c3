public import SallyportProtocol

/// What an operator says about a client to be added. ``register(at:)`` turns it into a record or says what makes no sense.
public struct ClientRegistration: Sendable {
  /// `native` is public; `web` is confidential (RFC 8252 §8.4).
  public enum Kind: String, Sendable, CaseIterable { case native, web }

  public var id: String?
  public var name: String
  public var kind: Kind
  public var redirectURIs: [String]
  public var scope: String
  public var signingAlgorithm: String

  public init(
    id: String? = nil, name: String, kind: Kind, redirectURIs: [String],
    scope: String = "openid profile email offline_access", signingAlgorithm: String = "ES256"
  ) {
    self.id = id
    self.name = name
    self.kind = kind
    self.redirectURIs = redirectURIs
    self.scope = scope
    self.signingAlgorithm = signingAlgorithm
  }

  /// Checks the registration.
  /// - Returns: the record to store, and the secret of a confidential client, which is shown once. A native client gets none:
  ///   what every install shares is no secret (RFC 8252 §8.5, rule S-34).
  /// - Throws: ``ClientRegistrationError``
  public func register(at now: Timestamp) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    let id = self.id ?? "client-" + RandomText.base64URL(bits: 96)
    guard Self.isValidID(id) else { throw .invalidClientID }
    guard !self.name.allSatisfy(\.isWhitespace), self.name.utf8.count <= 200 else { throw .invalidName }
    guard let scope = Scope(self.scope), !scope.isEmpty else { throw .invalidScope }
    guard SigningKey.Algorithm(rawValue: self.signingAlgorithm) != nil else { throw .unsupportedAlgorithm }
    let redirectURIs = try self.checkedRedirectURIs()
    let secret = self.kind == .web ? Secret(RandomText.base64URL(bits: 256)) : nil
    let record = ClientRecord(
      id: ClientID(rawValue: id), name: self.name, type: self.kind == .web ? .confidential : .public,
      applicationType: self.kind == .web ? .web : .native, redirectURIs: redirectURIs, scope: scope,
      signingAlgorithm: self.signingAlgorithm, secretFingerprint: secret.map(Fingerprint.init(of:)), createdAt: now)
    return (record, secret)
  }

  private func checkedRedirectURIs() throws(ClientRegistrationError) -> [RedirectURI] {
    guard !self.redirectURIs.isEmpty else { throw .noRedirectURI }
    var checked: [RedirectURI] = []
    for text in self.redirectURIs {
      let uri: RedirectURI
      do { uri = try RedirectURI(text) } catch { throw .invalidRedirectURI(text, error) }
      // RFC 9700 §2.6 and RFC 8252 §8.4: only a native app receives answers on loopback or by a private-use scheme.
      guard self.kind == .native || uri.kind == .https else { throw .redirectURINotForWeb(text) }
      if !checked.contains(uri) { checked.append(uri) }
    }
    return checked
  }

  /// Visible ASCII (RFC 6749 appendix A.1), and nothing that could be taken for an account's `sub` (RFC 9700 §4.15).
  private static func isValidID(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 255 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !id.hasPrefix(AccountID.prefix)
  }
}

/// Why a client was not registered.
public enum ClientRegistrationError: Error, Equatable, Sendable {
  case invalidClientID
  case invalidName
  case invalidScope
  case unsupportedAlgorithm
  case noRedirectURI
  case invalidRedirectURI(String, RedirectURIError)
  /// A loopback or private-use redirect for a web client.
  case redirectURINotForWeb(String)
}

extension AccountID {
  /// Begins every `sub`, and never a client identifier.
  static var prefix: String { "acct-" }

  /// A new account's identifier.
  package static func random() -> AccountID {
    AccountID(rawValue: self.prefix + RandomText.base64URL(bits: 128))
  }
}
