package import SallyportProtocol

/// An authorization code (RFC 6749 §4.1.2): an ``OpaqueToken`` with the identifier of its grant, by which the store
/// finds the code. The identifier is not secret.
package struct AuthorizationCode: Sendable {
  package let grant: GrantID
  private let token: OpaqueToken

  /// Returns a new code for a grant.
  package static func random(of grant: GrantID) -> AuthorizationCode {
    AuthorizationCode(grant: grant, token: .random(.authorizationCode))
  }

  /// Parses a code from a request.
  /// - Returns: Nil if this server cannot have issued the code.
  package init?(_ text: String) {
    guard case let (token, grant?)? = OpaqueToken.parse(.authorizationCode, text) else { return nil }
    self.init(grant: GrantID(rawValue: String(grant)), token: token)
  }

  private init(grant: GrantID, token: OpaqueToken) {
    self.grant = grant
    self.token = token
  }

  /// The text that the client receives.
  package var text: Secret<String> { self.token.text(named: self.grant.rawValue) }

  /// The fingerprint that the store keeps instead of the code.
  package var fingerprint: Fingerprint { self.token.fingerprint }
}
