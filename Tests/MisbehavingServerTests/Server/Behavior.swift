import SallyportProtocol
import TestSupport

/// How the server of a test behaves. It is correct unless the test's ``Fault`` changes one of these properties.
///
/// A closure that can return a ``ServerResponse`` replaces the whole response by returning one. If it returns `nil`,
/// the server sends the response as the closure changed it.
struct Behavior: Sendable {
  /// Changes or replaces the metadata document. `origin` is the issuer's URL.
  var metadata: @Sendable (inout JSONValue, _ origin: String) -> ServerResponse? = { _, _ in nil }
  /// Changes or replaces the key set.
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
  /// Changes or replaces the token response.
  var tokens: @Sendable (inout JSONValue) -> ServerResponse? = { _ in nil }
  /// Changes or replaces the UserInfo response.
  var userinfo: @Sendable (inout JSONValue) -> ServerResponse? = { _ in nil }
  /// Error responses that the token endpoint returns to the first requests.
  var tokenErrorResponses: [ServerResponse] = []
}
