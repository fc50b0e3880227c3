/// Why an attempt was rejected, or how a change came about. The raw values are stored, so they stay the same even if a
/// case is renamed.
public enum AuditReason: String, Sendable, CaseIterable {
  // Rejected sign-ins
  case unknownAccount = "unknown-account"
  case wrongPassword = "wrong-password"
  case accountDisabled = "account-disabled"
  /// During the sign-in, the account was disabled or removed, its password was changed, or its identity at the upstream
  /// was disconnected.
  case accountChanged = "account-changed"
  /// The server has no passkey with this credential ID.
  case unknownPasskey = "unknown-passkey"
  /// The browser's response is not valid for the passkey.
  case wrongPasskey = "wrong-passkey"
  /// The response was used before.
  case passkeyReplayed = "passkey-replayed"
  /// The signature counter did not increase, so the passkey may have been copied.
  case passkeyCopied = "passkey-copied"
  /// The first step of the sign-in succeeded, but the code of the authenticator app or the recovery code was wrong.
  case wrongCode = "wrong-code"
  /// The first step of the sign-in succeeded, but this code, or one of a later time step, had already been accepted.
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
  /// upstream for the domain of that address.
  case verifiedEmail = "verified-email"

  // Sign-outs, and changes by users
  /// The user signed out, changed the password, or connected or disconnected an identity, on the server's pages. The
  /// raw value is an earlier name, which stored records contain.
  case user = "person"
  /// The user confirmed an app's request to sign out.
  case app
  /// Like ``app``, but the app's request to sign out also contained an ID token, which identifies the user.
  case hint
  /// The upstream through which the session began says that the user has signed out there.
  case upstreamLogout = "upstream-logout"
  /// A user was asked to confirm a change by signing in through an upstream, but the identity there is not connected
  /// with this user's account. Sign-outs have this reason only in records of earlier versions: a different user signed
  /// in with the same browser.
  case otherUser = "other-person"
  /// Too many accounts were signed in with one browser, and this session was the default session least recently.
  case tooManyAccounts = "too-many-accounts"
  /// The user turned on two-step verification in another browser, and this session had begun without a second factor.
  case twoStepVerification = "two-step-verification"
  /// The language of the account was changed.
  case language

  // One-time links, and the changes that were made with them
  case invitation
  case passwordReset = "password-reset"
  case emailVerification = "email-verification"
  /// The user asked for the link on the sign-up page, or created the account with such a link.
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
  /// The client is registered with a different authentication method. The credentials were not checked.
  case wrongMethod = "wrong-method"
  case wrongAssertion = "wrong-assertion"
  case assertionReplayed = "assertion-replayed"

  // Added, changed, and removed clients
  /// The client registered, changed, or removed itself (RFC 7591 and RFC 7592).
  case clientItself = "itself"
  /// The client registered itself with an initial access token from an operator.
  case initialAccessToken = "initial-access-token"
  /// The server read the client's metadata document.
  case document
  /// The client's metadata document no longer exists or is no longer valid.
  case documentWithdrawn = "document-withdrawn"
  /// The client was not used for a long time.
  case unused
  /// There were too many clients, and this one had never obtained a grant. Or there were too many sessions of an
  /// account, and this one was the least recently used.
  case evicted

  // Rejected registration requests
  /// The initial access token or the registration access token was invalid.
  case wrongToken = "wrong-token"

  // Back-channel logout deliveries that failed
  /// The client responded with status 400.
  case rejected = "refused"
  /// The last attempt failed, or the delivery expired.
  case givenUp = "given-up"
  /// The client, or its back-channel logout URI, no longer exists, or the server must not open the URI.
  case undeliverable

  // Keys
  /// A planned rotation, with time for resource servers to fetch the new keys.
  case rotation
  /// A rotation after a leak. Tokens that were signed with the old keys are no longer accepted.
  case immediately

  /// The reason as it is shown to operators and users: the raw value, unless that is an earlier name.
  package var name: String {
    switch self {
    case .user: "user"
    case .otherUser: "other-user"
    default: self.rawValue
    }
  }
}
