import SallyportProtocol
import TestSupport

/// How a server behaves: correctly, except for what a fault changes.
struct Behavior: Sendable {
  /// Changes the metadata document, or replaces the whole response. `origin` is the issuer's URL.
  var metadata: @Sendable (inout JSONValue, _ origin: String) -> ServerResponse? = { _, _ in nil }
  /// Changes the key set, or replaces the whole response.
  var keySet: @Sendable (inout JSONValue) -> ServerResponse? = { _ in nil }
  /// Changes the parameters of the authorization response.
  var authorizationResponse: @Sendable (inout [(name: String, value: String)]) -> Void = { _ in }
  /// Changes the ID token's claims.
  var claims: @Sendable (inout JSONValue) -> Void = { _ in }
  /// Members of the ID token's header that are added or replaced.
  var header: [String: JSONValue] = [:]
  /// The key that signs the ID token, or `nil` for the issuer's own key.
  var key: @Sendable () -> TestSigningKey? = { nil }
  /// Changes the ID token's text, or returns `nil` to omit the ID token.
  var idToken: @Sendable (String) -> String? = { $0 }
  /// Changes the token response, or replaces the whole response.
  var tokens: @Sendable (inout JSONValue) -> ServerResponse? = { _ in nil }
  /// Changes the UserInfo response, or replaces the whole response.
  var userinfo: @Sendable (inout JSONValue) -> ServerResponse? = { _ in nil }
  /// Error responses that the token endpoint returns to the first requests.
  var tokenErrorResponses: [ServerResponse] = []
}
