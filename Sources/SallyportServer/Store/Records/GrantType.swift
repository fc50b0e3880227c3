/// The supported values of `grant_type`. The password grant is not supported (RFC 9700 §2.4).
public enum GrantType: String, Sendable, Codable, CaseIterable {
  case authorizationCode = "authorization_code"
  case refreshToken = "refresh_token"
  /// The client acts for itself (RFC 6749 §4.4).
  case clientCredentials = "client_credentials"
  /// The device flow (RFC 8628 §3.4).
  case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
