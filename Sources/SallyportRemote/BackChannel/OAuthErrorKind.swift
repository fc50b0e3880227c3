package import SallyportProtocol

/// What an error code means for a client, regardless of the HTTP status and of the endpoint that returned it.
package enum OAuthErrorKind: Hashable, Sendable, CaseIterable {
  /// The server rejects the code or token of the request, so repeating the request doesn't help.
  case endsSession
  /// The server requires the user to interact. The refresh token stays valid.
  case needsUser
  /// The server rejects the client, not the user or the token.
  case clientRejected
  /// The request can succeed later.
  case temporary
  /// The user, or the server on the user's behalf, denied the request.
  case denied
  /// The user hasn't approved the request yet (RFC 8628 §3.5).
  case pending
  /// The user hasn't approved the request yet, and the client must poll less often (RFC 8628 §3.5).
  case slowDown
  case other
}

extension OAuthErrorCode {
  /// What the code means for a client. No other function maps codes to kinds.
  ///
  /// Includes nonstandard codes that some servers send: `bad_refresh_token` and `incorrect_client_credentials`
  /// (GitHub), `invalid_refresh_token`, `token_expired`, `token_revoked`, `bad_client_secret`, `invalid_client_id`,
  /// `ratelimited`, `internal_error`, and `service_unavailable` (Slack), `authorization_declined` (Microsoft), and
  /// `invalid_token` for a refresh token (Spring).
  package var kind: OAuthErrorKind {
    switch self {
    // `unsupported_grant_type`: if the server doesn't support refreshing, its refresh token is useless.
    case .invalidGrant, .expiredToken, .invalidToken, .unsupportedGrantType: .endsSession
    case .interactionRequired, .loginRequired, .consentRequired, .accountSelectionRequired,
      .insufficientUserAuthentication, .unmetAuthenticationRequirements:
      .needsUser
    case .invalidClient, .unauthorizedClient: .clientRejected
    case .serverError, .temporarilyUnavailable: .temporary
    case .accessDenied: .denied
    case .authorizationPending: .pending
    case .slowDown: .slowDown
    case .other(let text): Self.kinds[text] ?? .other
    default: .other
    }
  }

  private static let kinds: [String: OAuthErrorKind] = [
    "bad_refresh_token": .endsSession, "invalid_refresh_token": .endsSession, "token_expired": .endsSession,
    "token_revoked": .endsSession, "incorrect_client_credentials": .clientRejected, "bad_client_secret": .clientRejected,
    "invalid_client_id": .clientRejected, "ratelimited": .temporary, "internal_error": .temporary,
    "service_unavailable": .temporary, "authorization_declined": .denied,
  ]
}
