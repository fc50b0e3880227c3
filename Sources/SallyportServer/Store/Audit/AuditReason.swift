/// Why an attempt was rejected, or how a change came about. The raw values are stored.
public enum AuditReason: String, Sendable, CaseIterable {
  // Rejected sign-ins
  case unknownAccount = "unknown-account"
  case wrongPassword = "wrong-password"
  case accountDisabled = "account-disabled"
  /// The password was changed or the account disabled after the user had entered the old password.
  case accountChanged = "account-changed"
  /// The server has no passkey with this credential ID.
  case unknownPasskey = "unknown-passkey"
  /// The browser's response is not valid for the passkey.
  case wrongPasskey = "wrong-passkey"
  /// The response was used before.
  case passkeyReplayed = "passkey-replayed"
  /// The signature counter did not increase, so the passkey may have been copied.
  case passkeyCopied = "passkey-copied"
  /// The password was correct, but the code of the authenticator app or the recovery code was not.
  case wrongCode = "wrong-code"
  /// The password was correct, but this code, or one of a later time step, had already been accepted.
  case usedCode = "used-code"
  /// The response of an upstream, or its ID token, is invalid.
  case wrongUpstreamResponse = "wrong-upstream-response"
  /// Too many attempts had failed before.
  case throttled
  /// Too many passwords were being checked at the same time.
  case overloaded

  // Sign-ins
  /// The user signed in with a passkey. A sign-in without a reason used only a password.
  case passkey
  /// The user signed in with a password and a code.
  case secondFactor = "second-factor"
  /// The user signed in through an upstream, or the account was created in such a sign-in.
  case upstream
  /// An identity was connected because the upstream says that an email address is verified, and the operator trusts the
  /// upstream for its domain.
  case verifiedEmail = "verified-email"

  // Sign-outs and password changes
  /// The user signed out, or changed the password, on the server's pages. The raw value is an earlier name, which
  /// stored records contain.
  case user = "person"
  /// The user confirmed an app's request to sign out.
  case app
  /// Like ``app``, and the app identified the user by an ID token.
  case hint
  /// A different user signed in with the same browser. The raw value is an earlier name, which stored records contain.
  case otherUser = "other-person"

  // One-time links, and the changes that were made with them
  case invitation
  case passwordReset = "password-reset"
  case emailVerification = "email-verification"
  /// The user asked for the link on the sign-up page, and created the account.
  case signUp = "sign-up"

  // Grants
  /// The user gave consent in this flow.
  case consentGiven = "consent-given"
  /// A consent that the user gave earlier covers the request.
  case consentRemembered = "consent-remembered"
  /// A device obtained a grant that the user had approved.
  case device

  // Failed client authentications
  case unknownClient = "unknown-client"
  case credentialsMissing = "credentials-missing"
  case credentialsMalformed = "credentials-malformed"
  case wrongSecret = "wrong-secret"
  /// The client is registered with a different authentication method, whether or not the credentials are correct.
  case wrongMethod = "wrong-method"
  case wrongAssertion = "wrong-assertion"
  case assertionReplayed = "assertion-replayed"

  // Added, changed, and removed clients
  /// The client itself, by dynamic registration (RFC 7591 and RFC 7592).
  case clientItself = "itself"
  /// The client itself, with an initial access token from an operator.
  case initialAccessToken = "initial-access-token"
  /// The server read the client's metadata document.
  case document
  /// The client's metadata document no longer exists or is no longer valid.
  case documentWithdrawn = "document-withdrawn"
  /// The client was not used for a long time.
  case unused
  /// There were too many clients, and this one had never obtained a grant. Or an account had too many browser sessions, and
  /// this was the least recently used one.
  case evicted

  // Rejected registration requests
  /// The initial access token or the registration access token was invalid.
  case wrongToken = "wrong-token"

  // Back-channel logout deliveries that failed
  case rejected = "refused"
  case givenUp = "given-up"
  case undeliverable

  // Keys
  /// A planned rotation, with time for resource servers to fetch the new keys.
  case rotation
  /// A rotation after a leak. Tokens that were signed with the old keys are no longer accepted.
  case immediately
}
