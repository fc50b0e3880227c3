package import SallyportProtocol

/// The scope, the resources, and the key of an access token.
package struct TokenAccess: Sendable {
  package var scope: Scope
  /// The resources (RFC 8707); empty for the server itself.
  package var resources: [String] = []
  /// The thumbprint of the DPoP key to which the token is bound (RFC 9449 §6).
  package var key: String?

  package init(scope: Scope, resources: [String] = [], key: String? = nil) {
    self.scope = scope
    self.resources = resources
    self.key = key
  }
}
