/// The result of the form that the user has just submitted on the account page. The raw values are part of the page's
/// address.
package enum AccountStatus: String, Sendable, CaseIterable {
  case nameChanged = "name-changed"
  case languageChanged = "language-changed"
  case passwordChanged = "password-changed"
  case passkeyAdded = "passkey-added"
  case passkeyRenamed = "passkey-renamed"
  case passkeyRemoved = "passkey-removed"
  /// The browser's response is invalid, or the authenticator is not accepted.
  case passkeyInvalid = "passkey-invalid"
  case passkeyExists = "passkey-exists"
  case tooManyPasskeys = "too-many-passkeys"
  /// The passkey was not removed, because the user has no other way to sign in.
  case lastPasskey = "last-passkey"
  case appAdded = "app-added"
  case appRemoved = "app-removed"
  case providerConnected = "provider-connected"
  case providerDisconnected = "provider-disconnected"
  /// The sign-in at the provider failed.
  case providerFailed = "provider-failed"
  /// The identity is connected with another account.
  case providerOfOtherAccount = "provider-of-other-account"
  /// The provider was not disconnected, because the user has no other way to sign in.
  case lastProvider = "last-provider"
  case browserSignedOut = "browser-signed-out"
  case otherBrowsersSignedOut = "other-browsers-signed-out"
  case accessRevoked = "access-revoked"
  case emailLinkSent = "email-link-sent"
  case emailConfirmed = "email-confirmed"
  /// The server cannot send mail to the address.
  case emailInvalid = "email-invalid"
  /// The user has asked for too many links within an hour.
  case emailThrottled = "email-throttled"
  /// The user has asked for too many links within a day, or too many were mailed to the address.
  case emailThrottledToday = "email-throttled-today"
  /// There was nothing to change, or the form named no valid change.
  case unchanged
  /// The name is too long or contains control characters.
  case nameInvalid = "name-invalid"
  /// The form's CSRF token is invalid, or the time for adding a passkey or an authenticator app is over.
  case expired

  var text: PageText {
    switch self {
    case .nameChanged: .statusNameChanged
    case .languageChanged: .statusLanguageChanged
    case .passwordChanged: .statusPasswordChanged
    case .passkeyAdded: .statusPasskeyAdded
    case .passkeyRenamed: .statusPasskeyRenamed
    case .passkeyRemoved: .statusPasskeyRemoved
    case .passkeyInvalid: .statusPasskeyInvalid
    case .passkeyExists: .statusPasskeyExists
    case .tooManyPasskeys: .statusTooManyPasskeys
    case .lastPasskey: .statusLastPasskey
    case .appAdded: .statusAppAdded
    case .appRemoved: .statusAppRemoved
    case .providerConnected: .statusProviderConnected
    case .providerDisconnected: .statusProviderDisconnected
    case .providerFailed: .statusProviderFailed
    case .providerOfOtherAccount: .statusProviderOfOtherAccount
    case .lastProvider: .statusLastProvider
    case .browserSignedOut: .statusBrowserSignedOut
    case .otherBrowsersSignedOut: .statusOtherBrowsersSignedOut
    case .accessRevoked: .statusAccessRevoked
    case .emailLinkSent: .statusEmailLinkSent
    case .emailConfirmed: .statusEmailConfirmed
    case .emailInvalid: .statusEmailInvalid
    case .emailThrottled: .statusEmailThrottled
    case .emailThrottledToday: .statusEmailThrottledToday
    case .unchanged: .statusUnchanged
    case .nameInvalid: .statusNameInvalid
    case .expired: .statusExpired
    }
  }

  /// Whether the user's request failed.
  var isFailure: Bool {
    switch self {
    case .nameInvalid, .expired, .passkeyInvalid, .passkeyExists, .tooManyPasskeys, .emailInvalid, .emailThrottled,
      .emailThrottledToday, .providerFailed, .providerOfOtherAccount, .lastProvider, .lastPasskey:
      true
    case .nameChanged, .languageChanged, .passwordChanged, .passkeyAdded, .passkeyRenamed, .passkeyRemoved, .appAdded,
      .appRemoved,
      .browserSignedOut, .otherBrowsersSignedOut, .accessRevoked, .emailLinkSent, .emailConfirmed, .unchanged, .providerConnected,
      .providerDisconnected:
      false
    }
  }
}
