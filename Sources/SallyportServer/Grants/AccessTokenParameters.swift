import SallyportProtocol

/// The scope, the resources, and the key of an access token.
struct AccessTokenParameters: Sendable {
  let scope: Scope
  /// The resources (RFC 8707). If there are none, the token is for this server itself.
  let resources: [String]
  /// The thumbprint of the DPoP key to which the token is bound (RFC 9449 §6).
  let jkt: String?
}
