public import SallyportRemote

/// Why a user must sign in again.
public enum SignInRequirement: Equatable, Sendable {
  /// This process or another process of the app has signed out, or has found that the user must sign in again.
  case signedOut
  /// The session has no refresh token, but needs one, because the access token has expired, or because the app called
  /// ``OAuthSession/refresh()`` or asked for a token for another API or scope.
  case noRefreshToken
  /// The server rejected the refresh token (`invalid_grant`, or a code with the same meaning).
  case refused(OAuthErrorResponse)
  /// The server rejected the refresh token, as in ``refused(_:)``, after an earlier refresh request whose response was
  /// lost, because the app was terminated or the connection failed.
  ///
  /// A server that rotates refresh tokens without a reuse interval treats the second use of a token as theft.
  case refusedAfterLostResponse(OAuthErrorResponse)
  /// The key that the tokens are bound to is missing or cannot be restored (RFC 9449).
  case keyLost
  /// The server refreshes the tokens only after the user has interacted with it (`interaction_required`, or a code with
  /// a similar meaning such as `login_required`; OpenID Connect Core §3.1.2.6).
  ///
  /// The session and its refresh token are kept, because the server may refresh the tokens again once the user has
  /// interacted with it, for example in a new sign-in.
  case interactionRequired(OAuthErrorResponse)

  /// Whether the session ends for this reason.
  var endsSession: Bool {
    if case .interactionRequired = self { false } else { true }
  }
}
