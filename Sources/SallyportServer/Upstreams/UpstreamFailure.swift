/// Why a sign-in through an upstream (another OpenID provider) failed. "The identity" is the user at the provider. The
/// raw values are the values of a label in the metrics.
package enum UpstreamFailure: String, Error, Sendable, Equatable, CaseIterable {
  /// The provider or the store is unavailable, too many requests to the provider are in progress, the client secret
  /// cannot be decrypted, or the upstream was disabled or removed during the sign-in.
  case unavailable
  /// The provider returned an error other than `server_error` or `temporarily_unavailable`, for example because the
  /// user canceled the sign-in.
  case denied
  /// The provider's response or its ID token is invalid, or belongs to another request.
  case invalid
  /// No account is connected with the identity, and the server may neither connect nor create one.
  case noAccount = "no_account"
  /// A new sign-in was required, but the `auth_time` in the ID token is missing or too early.
  case notFresh = "not_fresh"
  /// The identity does not belong to the account that must sign in, or is already connected with a different account.
  case otherUser = "other_user"
  /// The account is disabled, or has changed during the sign-in.
  case accountRejected = "account_refused"
  /// The session in which the user wanted to connect the identity has ended, or the user must sign in again to connect
  /// it.
  case sessionEnded = "session_ended"
  /// Too many sign-ins were begun from this address, or on the whole server.
  case throttled = "slowed"
}
