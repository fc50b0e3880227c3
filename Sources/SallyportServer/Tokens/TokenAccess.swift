package import SallyportProtocol

/// What an access token is good for: for what, where, and in whose hands.
package struct TokenAccess: Sendable {
  package var scope: Scope
  /// RFC 8707; empty for the server itself.
  package var resources: [String] = []
  /// The thumbprint of the key that the token is bound to, RFC 9449 §6.
  package var key: String?

  package init(scope: Scope, resources: [String] = [], key: String? = nil) {
    self.scope = scope
    self.resources = resources
    self.key = key
  }
}
