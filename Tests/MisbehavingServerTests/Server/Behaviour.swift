import SallyportProtocol
import TestSupport

/// How a server behaves: well, but for what a fault changes.
struct Behaviour: Sendable {
  /// Changes the metadata document, or replaces the whole answer.
  var metadata: @Sendable (inout JSONValue, _ origin: String) -> Answer? = { _, _ in nil }
  /// Changes the key set, or replaces the whole answer.
  var keySet: @Sendable (inout JSONValue) -> Answer? = { _ in nil }
  /// Changes the parameters of the authorization response.
  var authorizationResponse: @Sendable (inout [(name: String, value: String)]) -> Void = { _ in }
  /// Changes the ID token's claims.
  var claims: @Sendable (inout JSONValue) -> Void = { _ in }
  /// Members of the ID token's header that are added or replaced.
  var header: [String: JSONValue] = [:]
  /// Signs the ID token; the issuer's own key where nil.
  var key: @Sendable () -> TestSigningKey? = { nil }
  /// Changes the ID token's text.
  var idToken: @Sendable (String) -> String? = { $0 }
  /// Changes the token response, or replaces the whole answer.
  var tokens: @Sendable (inout JSONValue) -> Answer? = { _ in nil }
  /// Changes the userinfo answer, or replaces the whole answer.
  var userinfo: @Sendable (inout JSONValue) -> Answer? = { _ in nil }
  /// Refuses this many requests of the token endpoint first.
  var tokenRefusals: [Answer] = []
}
