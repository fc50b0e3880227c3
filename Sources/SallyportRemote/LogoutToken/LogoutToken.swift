package import SallyportProtocol

/// The claims of a verified logout token (OpenID Connect Back-Channel Logout §2.4). Only ``LogoutTokenVerifier``
/// creates one.
package struct LogoutToken: Sendable {
  package let issuer: String
  /// The user whose sessions end; nil if ``sessionID`` alone names the session.
  package let subject: String?
  /// The session that ends; nil to end all sessions of the user.
  package let sessionID: String?
  /// The `jti`. A recipient accepts each `jti` only once.
  package let id: String
  /// When ``id`` no longer needs to be remembered, because the token is too old to be accepted.
  package let forgettableAt: Timestamp

  init(issuer: String, subject: String?, sessionID: String?, id: String, forgettableAt: Timestamp) {
    self.issuer = issuer
    self.subject = subject
    self.sessionID = sessionID
    self.id = id
    self.forgettableAt = forgettableAt
  }

  /// Whether a text can be a `sub` or `sid`: 1 to 255 printable ASCII characters. OpenID Connect Core §2 limits `sub`
  /// to 255 ASCII characters.
  package static func isValid(identifier: String) -> Bool {
    (1...255).contains(identifier.utf8.count) && identifier.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}
