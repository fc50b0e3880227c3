/// The events of the audit trail, mainly changes to access rights and rejected attempts. The raw values are stored, and
/// operators filter by them, so they stay the same even if a case is renamed.
///
/// Refreshing or using a token is not an event: it can happen thousands of times per second, and changes no rights.
/// Misuse of a token is an event.
public enum AuditEvent: String, Sendable, CaseIterable {
  /// A user was authenticated, and a browser session began.
  case signedIn = "signed-in"
  case signInRejected = "sign-in-refused"
  /// A browser session ended, along with the grants that were limited to it.
  case signedOut = "signed-out"

  /// A client obtained a grant for a user. The reason says how.
  case grantIssued = "grant-issued"
  case consentDenied = "consent-denied"
  case deviceApproved = "device-approved"
  case deviceDenied = "device-denied"
  /// An authorization code or device code was presented again after it had been redeemed, and its grant was revoked.
  case codeReplayed = "code-replayed"
  /// A refresh token that had been replaced was used again, and its grant was revoked.
  case refreshTokenReused = "refresh-token-reused"
  /// A client revoked a token, along with its grant if it has one.
  case tokenRevoked = "token-revoked"
  /// A user withdrew an app's access (its grants, device approvals, and remembered consents), or an operator revoked
  /// one grant, which the record names.
  case accessRevoked = "access-revoked"
  /// A client could not be notified that a user signed out, and the server no longer tries.
  case logoutNotDelivered = "logout-not-delivered"

  case clientAuthenticationFailed = "client-authentication-failed"
  case clientAdded = "client-added"
  case clientChanged = "client-changed"
  case clientRemoved = "client-removed"
  /// A request to register or manage a client had an invalid token.
  case registrationRejected = "registration-refused"
  /// An initial access token for client registration was added or removed. Its use is recorded as ``clientAdded``.
  case initialAccessTokenAdded = "initial-access-token-added"
  case initialAccessTokenRemoved = "initial-access-token-removed"

  case accountAdded = "account-added"
  /// All sessions and grants of the account ended too.
  case accountDisabled = "account-disabled"
  case accountEnabled = "account-enabled"
  /// The name or the language of the account was changed. In a record of an earlier version of the server, the email
  /// address may have been changed instead.
  case profileChanged = "profile-changed"
  case emailChanged = "email-changed"
  /// The user confirmed the email address with a link, or an operator confirmed it.
  case emailVerified = "email-verified"
  /// A one-time link for the account was created. The reason is the purpose of the link.
  case accountLinkIssued = "account-link-issued"
  /// A link with which a user can create an account was created. The reason says who asked for it. The record does not
  /// contain the email address, because there is no account yet.
  case signUpLinkIssued = "sign-up-link-issued"
  /// The account was deleted. All sessions and grants of the account ended too.
  case accountRemoved = "account-removed"
  /// All sessions and grants of the account ended too.
  case passwordChanged = "password-changed"
  case passkeyAdded = "passkey-added"
  case passkeyRemoved = "passkey-removed"
  /// An authenticator app was added. From then on, a sign-in with the password or through an upstream also requires a
  /// code.
  case totpAdded = "totp-added"
  case totpRemoved = "totp-removed"
  /// New recovery codes were created. Earlier ones are no longer accepted.
  case recoveryCodesCreated = "recovery-codes-created"
  case recoveryCodesRemoved = "recovery-codes-removed"
  /// A recovery code was accepted as the second step of a sign-in, and cannot be used again.
  case recoveryCodeUsed = "recovery-code-used"

  /// A user's identity at an upstream was connected with the account. The subject is the identifier of the upstream.
  case identityConnected = "identity-connected"
  case identityDisconnected = "identity-disconnected"

  /// An upstream was added, changed, or removed. The subject is its identifier.
  case upstreamAdded = "upstream-added"
  case upstreamChanged = "upstream-changed"
  case upstreamRemoved = "upstream-removed"

  /// A signing key was added. It signs immediately, or from the time at which the key that it replaces stops.
  case keyAdded = "key-added"
  /// A signing key was replaced. It stops signing when the new key begins.
  case keyRetired = "key-retired"

  case serverStarted = "server-started"
  case serverStopped = "server-stopped"
  /// The database was restored from a backup. Events between the backup and the restore are missing.
  case databaseRestored = "database-restored"
}

extension RevocationReason {
  /// The event that is recorded when a grant ends for this reason.
  var event: AuditEvent {
    switch self {
    case .codeReplayed: .codeReplayed
    case .refreshTokenReused: .refreshTokenReused
    case .clientRequest: .tokenRevoked
    case .userRequest: .accessRevoked
    case .passwordChanged: .passwordChanged
    case .accountDisabled: .accountDisabled
    case .signedOut: .signedOut
    case .restored: .databaseRestored
    }
  }
}
