import SallyportLook
import SallyportServer

extension AccountActivity {
  /// What happened, in words for the user; nil if the event does not concern users.
  var sentence: String? {
    // The isolates (U+2068, U+2069) keep a name in a right-to-left script from changing the order of the sentence.
    let name = self.client.map { "“\u{2068}\(DisplayText.appName($0.name))\u{2069}”" }
    let (app, appAtStart) = (name ?? "a removed app", name ?? "A removed app")
    return switch self.record.event {
    case .signedIn:
      switch self.record.reason {
      case .passkey: "You signed in with a passkey."
      case .secondFactor: "You signed in with your password and a code."
      case .upstream: "You signed in through another provider."
      default: "You signed in."
      }
    case .signInRejected: self.rejectionSentence
    case .signedOut: self.signOutSentence
    case .grantIssued:
      switch self.record.reason {
      case .device: "\(appAtStart) got access to your account on a device that you had approved."
      case .consentRemembered: "You signed in to \(app), which you had already allowed to use your account."
      default: "You allowed \(app) to use your account."
      }
    case .consentDenied: "You did not allow \(app) to use your account."
    case .deviceApproved: "You approved a device for \(app)."
    case .deviceDenied: "You denied a device access for \(app)."
    case .codeReplayed, .refreshTokenReused:
      "\(appAtStart) lost access to your account, because its credentials were used twice. Someone may have stolen them."
    case .tokenRevoked: "You signed out of \(app), or it ended its access to your account."
    case .accessRevoked:
      self.isByOperator ? "An operator removed the access of \(app)." : "You removed the access of \(app)."
    case .accountAdded: "Your account was created."
    case .accountDisabled: "An operator disabled your account."
    case .accountEnabled: "An operator enabled your account again."
    case .profileChanged: self.isByOperator ? "An operator changed your profile." : "You changed your name."
    case .emailChanged: self.isByOperator ? "An operator changed your email address." : "You changed your email address."
    case .emailVerified: self.isByOperator ? "An operator confirmed your email address." : "You confirmed your email address."
    case .accountLinkIssued: self.linkSentence
    case .passwordChanged: self.isByOperator ? "An operator set a new password." : "You changed your password."
    case .passkeyAdded: "You added a passkey."
    case .passkeyRemoved: self.isByOperator ? "An operator removed a passkey." : "You removed a passkey."
    case .totpAdded: "You set up an authenticator app."
    case .totpRemoved: self.isByOperator ? "An operator removed your authenticator app." : "You removed your authenticator app."
    case .identityConnected: "A sign-in through another provider was connected with your account."
    case .identityDisconnected: "A sign-in through another provider was disconnected from your account."
    case .recoveryCodesCreated: "New recovery codes were created for you."
    case .recoveryCodesRemoved:
      self.isByOperator
        ? "An operator removed your recovery codes." : "Your recovery codes were removed together with your last other factor."
    case .recoveryCodeUsed: "You signed in with a recovery code, which cannot be used again."
    case .logoutNotDelivered: "\(appAtStart) was not notified that you signed out."
    case .accountRemoved, .clientAuthenticationFailed, .clientAdded, .clientChanged, .clientRemoved, .registrationRejected,
      .initialAccessTokenAdded, .initialAccessTokenRemoved, .keyAdded, .keyRetired, .serverStarted, .serverStopped,
      .databaseRestored, .upstreamAdded, .upstreamChanged, .upstreamRemoved:
      nil
    }
  }

  private var isByOperator: Bool { self.record.origin.source == .command }

  private var linkSentence: String {
    switch self.record.reason {
    case .invitation: "An operator invited you."
    case .emailVerification: "You asked for a link to confirm an email address."
    default: self.isByOperator ? "An operator created a link for a new password." : "Someone asked for a link for a new password."
    }
  }

  private var rejectionSentence: String {
    switch self.record.reason {
    case .wrongPassword: "Someone entered a wrong password for your account."
    case .wrongCode, .usedCode: "Someone entered your password, and then a wrong or used code."
    case .throttled: "A sign-in to your account was delayed, because too many had failed."
    case .accountDisabled: "Someone tried to sign in while your account was disabled."
    default: "A sign-in to your account failed."
    }
  }

  private var signOutSentence: String {
    if self.isByOperator { return "An operator signed you out of a browser." }
    return switch self.record.reason {
    case .otherUser: "You were signed out of a browser, because another user signed in there."
    case .evicted: "You were signed out of a browser, because you were signed in to your account in too many browsers."
    default: "You signed out of a browser."
    }
  }
}
