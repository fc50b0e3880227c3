/// A user's session at an upstream, through which a browser session of this server began.
public struct UpstreamSession: Codable, Sendable, Equatable {
  /// The `iss` of the ID token.
  public var issuer: String
  /// The `sub` of the ID token.
  public var subject: String
  /// The `sid` of the ID token (OpenID Connect Back-Channel Logout §2.1); nil if the ID token has none.
  public var sessionID: String?

  public init(issuer: String, subject: String, sessionID: String? = nil) {
    self.issuer = issuer
    self.subject = subject
    self.sessionID = sessionID
  }
}
