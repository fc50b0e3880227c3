/// Why a sign-in through an upstream failed. The raw values are values of a metric's label.
package enum UpstreamFailure: String, Error, Sendable, Equatable, CaseIterable {
  /// The provider cannot be reached or responds too slowly, too many requests to it are in progress, or the store is
  /// unavailable.
  case unavailable
  /// The user canceled the sign-in at the provider, or the provider denied it.
  case denied
  /// The provider's response or its ID token is invalid, or belongs to another request.
  case invalid
  /// No account is connected with the identity, and none may be created.
  case noAccount = "no_account"
  /// A new sign-in was required, but the provider does not say that there was one.
  case notFresh = "not_fresh"
  /// The identity does not belong to the account that must sign in, or is already connected with a different account.
  case otherUser = "other_user"
  /// The account is disabled, or has changed during the sign-in.
  case accountRejected = "account_refused"
  /// The session in which the user wanted to connect the identity has ended, or the sign-in was too long ago.
  case sessionEnded = "session_ended"
  /// Too many sign-ins were begun from this address, or on the whole server.
  case throttled = "slowed"
}
