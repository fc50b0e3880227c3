/// What the audit trail tells: whatever changes who may do what, and who was refused. The raw values are stored and asked for by name.
///
/// A token that is refreshed, and one that is used, is no event: that happens thousands of times a second, changes nobody's rights, and
/// would bury the rest. What goes wrong with one is.
public enum AuditEvent: String, Sendable, CaseIterable {
  /// A person has proved who they are, and a browser session has begun.
  case signedIn = "signed-in"
  case signInRefused = "sign-in-refused"
  /// A browser session has ended, with what was granted in it for no longer.
  case signedOut = "signed-out"

  /// A client may act for a person from now on; the reason says how that came to be.
  case grantIssued = "grant-issued"
  case consentDenied = "consent-denied"
  case deviceApproved = "device-approved"
  case deviceDenied = "device-denied"
  /// A code was redeemed twice, and its grant is revoked.
  case codeReplayed = "code-replayed"
  /// A refresh token that was replaced came back, and its grant is revoked.
  case refreshTokenReused = "refresh-token-reused"
  /// A client or a person gave a token back, with its grant where it has one.
  case tokenRevoked = "token-revoked"
  /// A client was not told that a person has signed out, and will not be.
  case logoutNotDelivered = "logout-not-delivered"

  case clientAuthenticationFailed = "client-authentication-failed"
  case clientAdded = "client-added"
  case clientChanged = "client-changed"
  case clientRemoved = "client-removed"
  /// Somebody presented a wrong token to register a client, or to manage one.
  case registrationRefused = "registration-refused"
  /// A token with which clients may register themselves was made or removed; its use is a ``clientAdded``.
  case initialAccessTokenAdded = "initial-access-token-added"
  case initialAccessTokenRemoved = "initial-access-token-removed"

  case accountAdded = "account-added"
  /// With every session and grant of the account.
  case accountDisabled = "account-disabled"
  /// With every session and grant of the account.
  case passwordChanged = "password-changed"

  /// A signing key was made and will sign.
  case keyAdded = "key-added"
  /// A signing key stops signing.
  case keyRetired = "key-retired"

  case serverStarted = "server-started"
  case serverStopped = "server-stopped"
}

extension RevocationReason {
  /// The event of what ends a grant: there is no way to end one that has none.
  var event: AuditEvent {
    switch self {
    case .codeReplayed: .codeReplayed
    case .refreshTokenReused: .refreshTokenReused
    case .clientRequest, .personRequest: .tokenRevoked
    case .passwordChanged: .passwordChanged
    case .accountDisabled: .accountDisabled
    case .signedOut: .signedOut
    }
  }
}
