/// How a client secret is sent to the authorization server. The raw values are the registered names (RFC 7591 §2).
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
  /// In the `Authorization` header field (RFC 6749 §2.3.1).
  case clientSecretBasic = "client_secret_basic"
  /// As a form parameter (RFC 6749 §2.3.1).
  case clientSecretPost = "client_secret_post"
}
