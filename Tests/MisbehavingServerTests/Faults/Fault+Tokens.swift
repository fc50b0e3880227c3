import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport

extension Fault {
  /// Faults of the token endpoint (RFC 6749 §5).
  static let tokens: [Fault] = [
    // Some servers omit the type, and a token that is not bound to a DPoP key can only be used as a bearer token.
    tokens("No token_type", "RFC 6749 §5.1", .accepted("signed in with a bearer token", bearer)) { $0["token_type"] = nil },
    // Some servers send the number as a string or a fraction, and its value is clear in both forms.
    tokens("An expires_in that is a string", "RFC 6749 §5.1", .accepted("signed in", bearer)) { $0["expires_in"] = "600" },
    // Some servers send zero for tokens that don't expire.
    tokens("An expires_in of zero", "RFC 6749 §5.1", .accepted("signed in; the token is used until the API rejects it", noExpiry))
    {
      $0["expires_in"] = 0
    },
    // GitHub and Slack report errors with status 200.
    response("invalid_grant with status 200", "RFC 6749 §5.2", invalidGrant) { .json(["error": "invalid_grant"]) },
    tokens("The token type mac", "RFC 6749 §7.1", .refused(.tokenResponse(.tokenTypeNotSupported))) { $0["token_type"] = "mac" },
    tokens("A negative expires_in", "RFC 6749 §5.1", .refused(.tokenResponse(.lifetimeInvalid))) { $0["expires_in"] = -1 },
    tokens("An expires_in of ten thousand years", "RFC 6749 §5.1", .refused(.tokenResponse(.lifetimeInvalid))) {
      $0["expires_in"] = 315_360_000_000
    },
    tokens("No access token", "RFC 6749 §5.1", .refused(.tokenResponse(.malformed))) { $0["access_token"] = nil },
    tokens("An access token with a line break", "RFC 6749 A.12", .refused(.tokenResponse(.tokenMalformed))) {
      $0["access_token"] = "access\r\nX-Evil: 1"
    },
    tokens("No ID token although openid was requested", "OpenID Connect Core §3.1.3.3", .refused(.tokenResponse(.idTokenMissing)))
    {
      $0["id_token"] = nil
    },
    tokens("No expires_in", "RFC 6749 §5.1", .accepted("signed in; the token is used until the API rejects it", noExpiry)) {
      $0["expires_in"] = nil
    },
    tokens(
      "Fewer scopes than requested", "RFC 6749 §5.1", .accepted("signed in; `scope` contains the granted scope", fewerScopes)
    ) {
      $0["scope"] = "openid"
    },
    tokens("More scopes than requested", "RFC 6749 §5.1", .accepted("signed in; `scope` contains the granted scope", moreScopes))
    {
      $0["scope"] = "openid profile admin"
    },
    response("A redirect from the token endpoint", "RFC 9700 §4.12", .refused(.tokenResponse(.unexpectedStatus(307)))) {
      .redirect(to: "/stolen", status: .temporaryRedirect)
    },
    response("An HTML page from the token endpoint", "RFC 6749 §5.1", .refused(.tokenResponse(.malformed))) {
      .text("<html></html>", type: "text/html")
    },
    response("An incomplete token response", "RFC 6749 §5.1", .refused(.tokenResponse(.malformed))) {
      .text("{\"access_token\":")
    },
    response("A token response that exceeds the size limit", "size and time limits", .refused(.network(.bodyTooLarge))) {
      .huge(4 << 20)
    },
    response("A token response that is never completed", "size and time limits", .refused(.network(.timedOut)), isSlow: true) {
      .stalled
    },
    response("A 503 from the token endpoint", "RFC 9110 §15.6.4", .refused(.unavailable(status: 503))) {
      .text("later", type: "text/plain", status: .serviceUnavailable)
    },
    response("invalid_grant with the code in its description", "no secrets in errors", secretHidden) {
      .json(["error": "invalid_grant", "error_description": "the code code-1 is used up"], status: .badRequest)
    },
  ]

  /// Whether the session returns the access token.
  private static let bearer: @Sendable (OAuthSession) async throws -> Bool = {
    try await $0.accessToken().reveal() == "access-1"
  }
  /// Whether the session returns the access token even if it must be valid for at least another hour.
  private static let noExpiry: @Sendable (OAuthSession) async throws -> Bool = {
    try await $0.accessToken(minimumLifetime: .seconds(3600)).reveal() == "access-1"
  }
  private static let fewerScopes: @Sendable (OAuthSession) async throws -> Bool = { await $0.scope == "openid" }
  private static let moreScopes: @Sendable (OAuthSession) async throws -> Bool = { await $0.scope == "openid profile admin" }

  private static let invalidGrant = Outcome.refusedMatching("the server's error (invalid_grant)") { error in
    guard case .refused(let errorResponse) = error else { return false }
    return errorResponse.code == .invalidGrant
  }

  private static let secretHidden = Outcome.refusedMatching("the server's error description, with the code redacted") { error in
    guard case .refused(let errorResponse) = error else { return false }
    return errorResponse.code == .invalidGrant && !"\(errorResponse)".contains("code-1")
  }

  private static func tokens(
    _ summary: String, _ rule: String, _ outcome: Outcome, _ change: @escaping @Sendable (inout JSONValue) -> Void
  ) -> Fault {
    Fault(summary, rule, outcome) { behavior in
      behavior.tokens = { body in
        change(&body)
        // With nil, the server sends the changed body.
        return nil
      }
    }
  }

  private static func response(
    _ summary: String, _ rule: String, _ outcome: Outcome, isSlow: Bool = false,
    _ response: @escaping @Sendable () -> ServerResponse
  ) -> Fault {
    Fault(summary, rule, outcome, isSlow: isSlow) { behavior in behavior.tokens = { _ in response() } }
  }
}
