/// What the account page says after a form was posted. The raw values are part of the page's address.
package enum AccountStatus: String, Sendable, CaseIterable {
  case nameChanged = "name-changed"
  case passwordChanged = "password-changed"
  case passkeyAdded = "passkey-added"
  case passkeyRenamed = "passkey-renamed"
  case passkeyRemoved = "passkey-removed"
  /// The browser's response is invalid, or the authenticator is not accepted.
  case passkeyInvalid = "passkey-invalid"
  case passkeyExists = "passkey-exists"
  case tooManyPasskeys = "too-many-passkeys"
  case appAdded = "app-added"
  case appRemoved = "app-removed"
  case providerConnected = "provider-connected"
  case providerDisconnected = "provider-disconnected"
  /// The sign-in at the provider failed.
  case providerFailed = "provider-failed"
  /// The identity is connected with another account.
  case providerOfOtherAccount = "provider-of-other-account"
  /// The user could not sign in anymore.
  case lastProvider = "last-provider"
  case browserSignedOut = "browser-signed-out"
  case otherBrowsersSignedOut = "other-browsers-signed-out"
  case accessRevoked = "access-revoked"
  case emailLinkSent = "email-link-sent"
  case emailConfirmed = "email-confirmed"
  /// The server cannot send mail to the address.
  case emailInvalid = "email-invalid"
  /// The user has asked for too many links.
  case emailThrottled = "email-throttled"
  /// There was nothing to change.
  case unchanged
  /// The name is too long or contains control characters.
  case nameInvalid = "name-invalid"
  /// The form was posted from another site, its CSRF token is invalid, or the time for adding a passkey or an authenticator
  /// app is over.
  case expired

  var sentence: String {
    switch self {
    case .nameChanged: "Your name was changed."
    case .passwordChanged: "Your password was changed. You were signed out in all other browsers and in all apps."
    case .passkeyAdded: "The passkey was added. You can now sign in with it."
    case .passkeyRenamed: "The passkey was renamed."
    case .passkeyRemoved:
      "The passkey was removed and can no longer be used here. Also delete it on the device or in the password manager that stores it."
    case .passkeyInvalid: "The passkey was not added. Try again, or use another device or security key."
    case .passkeyExists: "Your account already has this passkey."
    case .tooManyPasskeys: "You have too many passkeys. Remove one that you no longer use."
    case .appAdded: "The authenticator app was added. Two-step verification is on."
    case .appRemoved: "Two-step verification is off. You can delete the entry in your authenticator app."
    case .providerConnected: "The provider was connected. You can now sign in through it."
    case .providerDisconnected: "The provider was disconnected. You can no longer sign in through it."
    case .providerFailed: "The provider was not connected, because the sign-in there failed. Try again later."
    case .providerOfOtherAccount:
      "The provider was not connected, because another account here is already connected with your account there."
    case .lastProvider:
      "The provider was not disconnected, because you could not sign in anymore. Set a password or add a passkey first."
    case .browserSignedOut: "You were signed out in the other browser."
    case .otherBrowsersSignedOut: "You were signed out in all other browsers."
    case .accessRevoked: "The app no longer has access to your account."
    case .emailLinkSent: "A link was mailed to the address. Open it in this browser to confirm the address."
    case .emailConfirmed: "Your email address was confirmed."
    case .emailInvalid: "Mail cannot be sent to this address. Check it and try again."
    case .emailThrottled: "You have asked for too many links. Wait an hour, then try again."
    case .unchanged: "Nothing was changed, because the change was already made."
    case .nameInvalid: "The name is too long or contains characters that are not allowed. Enter a shorter name."
    case .expired: "Nothing was changed, because the page was out of date. Try again."
    }
  }

  /// Whether the user's request failed.
  var isFailure: Bool {
    switch self {
    case .nameInvalid, .expired, .passkeyInvalid, .passkeyExists, .tooManyPasskeys, .emailInvalid, .emailThrottled,
      .providerFailed,
      .providerOfOtherAccount, .lastProvider:
      true
    case .nameChanged, .passwordChanged, .passkeyAdded, .passkeyRenamed, .passkeyRemoved, .appAdded, .appRemoved,
      .browserSignedOut, .otherBrowsersSignedOut, .accessRevoked, .emailLinkSent, .emailConfirmed, .unchanged, .providerConnected,
      .providerDisconnected:
      false
    }
  }
}
