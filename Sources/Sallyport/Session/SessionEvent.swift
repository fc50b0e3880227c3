/// An event of a session.
public enum SessionEvent: Equatable, Sendable {
  /// This process received a new access token.
  case refreshed
  /// This process received a new access token for another API or scope; see
  /// ``OAuthSession/accessToken(for:minimumLifetime:)``.
  case refreshedTarget(TokenTarget)
  /// Another process or another session stored new tokens, and this session now uses them too.
  case adopted
  /// The server no longer refreshes the tokens. The session ends when its access token expires.
  case notRenewable(SignInRequirement)
  /// The server does not refresh the session until the user has interacted with the server, for example to accept new
  /// terms. The session is kept, because the server may then refresh it without a new sign-in.
  case signInRequired(SignInRequirement)
  /// The session has ended. This is the last event.
  case ended(SignInRequirement)
}
