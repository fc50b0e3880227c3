import SallyportProtocol

/// The stored form of an additional access token of a session, for one ``TokenTarget``.
struct TargetTokenRecord: Codable {
  var target: TokenTarget.Key
  var accessToken: String
  var scope: String
  /// `nil` for `bearer`.
  var tokenType: TokenType?
  /// In milliseconds since 1970, like `expiresAt`.
  var obtainedAt: Int64
  var expiresAt: Int64?

  init(_ target: TokenTarget.Key, _ token: AccessToken) {
    self.target = target
    self.accessToken = token.value.reveal()
    self.scope = token.scope.description
    self.tokenType = token.type == .bearer ? nil : token.type
    self.obtainedAt = token.obtainedAt.milliseconds
    self.expiresAt = token.expiresAt?.milliseconds
  }

  /// `nil` if the stored scope is invalid.
  var token: AccessToken? {
    guard let scope = Scope(self.scope) else { return nil }
    return AccessToken(
      value: Secret(self.accessToken), scope: scope, type: self.tokenType ?? .bearer,
      obtainedAt: Timestamp(milliseconds: self.obtainedAt), expiresAt: self.expiresAt.map(Timestamp.init(milliseconds:)))
  }
}
