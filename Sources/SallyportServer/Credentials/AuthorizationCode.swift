package import SallyportProtocol

/// An authorization code, RFC 6749 §4.1.2: an ``OpaqueToken`` that also names its grant, so that the store finds the code where it has put
/// the grant. The name is no secret and proves nothing.
package struct AuthorizationCode: Sendable {
  package let grant: GrantID
  private let token: OpaqueToken

  /// A new code of a grant.
  package static func random(of grant: GrantID) -> AuthorizationCode {
    AuthorizationCode(grant: grant, token: .random(.authorizationCode))
  }

  /// A code as presented.
  /// - Returns: nil for a text that this server cannot have issued.
  package init?(_ text: String) {
    guard case let (token, grant?)? = OpaqueToken.named(.authorizationCode, text) else { return nil }
    self.init(grant: GrantID(rawValue: String(grant)), token: token)
  }

  private init(grant: GrantID, token: OpaqueToken) {
    self.grant = grant
    self.token = token
  }

  /// What the app gets.
  package var text: Secret<String> { self.token.text(named: self.grant.rawValue) }

  /// What the store keeps of it.
  package var fingerprint: Fingerprint { self.token.fingerprint }
}
