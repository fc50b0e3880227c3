/// `token_endpoint_auth_method`, RFC 7591 §2: how a client authenticates. A client with a secret may send it in both ways.
public enum ClientAuthenticationMethod: String, Sendable, Codable, CaseIterable {
  /// A public client names itself and proves nothing.
  case none
  case clientSecretBasic = "client_secret_basic"
  case clientSecretPost = "client_secret_post"
  /// RFC 7523 §2.2.
  case privateKeyJWT = "private_key_jwt"

  /// Whether the client has a secret.
  public var usesSecret: Bool { self == .clientSecretBasic || self == .clientSecretPost }
}
