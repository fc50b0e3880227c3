/// How a client authenticates: the `token_endpoint_auth_method` (RFC 7591 §2). A client with a secret may use either of
/// the two methods for secrets.
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
  /// A public client, which does not authenticate.
  case none
  case clientSecretBasic = "client_secret_basic"
  case clientSecretPost = "client_secret_post"
  /// A client assertion (RFC 7523 §2.2).
  case privateKeyJWT = "private_key_jwt"

  /// Whether a client with this method authenticates with a secret.
  public var usesSecret: Bool { self == .clientSecretBasic || self == .clientSecretPost }
}
