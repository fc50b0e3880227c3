extension ServerConfiguration {
  /// How a client authenticates to the authorization server. The raw values are the registered names (RFC 7591 §2).
  public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
    /// With the secret in the `Authorization` header field (RFC 6749 §2.3.1).
    case clientSecretBasic = "client_secret_basic"
    /// With the secret as a form parameter (RFC 6749 §2.3.1).
    case clientSecretPost = "client_secret_post"
    /// Without authentication. The form contains the client identifier, and no secret even if the client has one. The
    /// registered name is `none`.
    case noSecret = "none"
  }
}
