import SallyportProtocol
import SallyportRemote
import Testing

@Suite("The meaning of error codes")
struct OAuthErrorKindTests {
  static let rows: [(kind: OAuthErrorKind, codes: [String])] = [
    (.endsSession, ["invalid_grant", "expired_token", "bad_refresh_token", "invalid_refresh_token", "invalid_token"]),
    (.needsUser, ["interaction_required", "login_required", "consent_required", "account_selection_required"]),
    (.clientRejected, ["invalid_client", "unauthorized_client", "incorrect_client_credentials", "bad_client_secret"]),
    (.temporary, ["temporarily_unavailable", "server_error", "ratelimited", "internal_error"]),
    (.denied, ["access_denied", "authorization_declined"]),
    (.pending, ["authorization_pending"]), (.slowDown, ["slow_down"]),
    (.other, ["invalid_request", "invalid_scope", "use_dpop_nonce", "what_is_this", ""]),
  ]

  @Test("each error code has the expected meaning, and unknown codes have the meaning other", arguments: Self.rows)
  func kind(_ row: (kind: OAuthErrorKind, codes: [String])) {
    for code in row.codes { #expect(OAuthErrorCode(code).kind == row.kind, "\(code)") }
  }
}
