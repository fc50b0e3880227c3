import SallyportServer

extension AccountActivity {
  /// The text that tells the user what happened; nil if the account page does not show the event.
  var text: PageText? {
    switch self.record.event {
    case .signedIn:
      switch self.record.reason {
      case .passkey: .activityPasskey
      case .secondFactor: .activityCode
      case .upstream: .activityProvider
      default: .activitySignedIn
      }
    case .signInRejected: self.rejectionText
    case .signedOut: self.signOutText
    case .grantIssued:
      switch self.record.reason {
      case .device: .activityDeviceGrant
      case .consentRemembered: .activityRememberedGrant
      default: .activityGrant
      }
    case .consentDenied: .activityConsentDenied
    case .deviceApproved: .activityDeviceApproved
    case .deviceDenied: .activityDeviceDenied
    case .codeReplayed, .refreshTokenReused: .activityReplay
    case .tokenRevoked: .activityTokenRevoked
    case .accessRevoked: self.isByOperator ? .activityAccessRevokedByOperator : .activityAccessRevoked
    case .accountAdded: .activityAccountAdded
    case .accountDisabled: .activityAccountDisabled
    case .accountEnabled: .activityAccountEnabled
    case .profileChanged: self.profileText
    case .emailChanged: self.isByOperator ? .activityEmailChangedByOperator : .activityEmailChanged
    case .emailVerified: self.isByOperator ? .activityEmailVerifiedByOperator : .activityEmailVerified
    case .accountLinkIssued: self.linkText
    case .passwordChanged: self.isByOperator ? .activityPasswordChangedByOperator : .activityPasswordChanged
    case .passkeyAdded: .activityPasskeyAdded
    case .passkeyRemoved: self.isByOperator ? .activityPasskeyRemovedByOperator : .activityPasskeyRemoved
    case .totpAdded: .activityAppAdded
    case .totpRemoved: self.isByOperator ? .activityAppRemovedByOperator : .activityAppRemoved
    case .recoveryCodesCreated: .activityCodesCreated
    case .recoveryCodesRemoved: self.isByOperator ? .activityCodesRemovedByOperator : .activityCodesRemoved
    case .recoveryCodeUsed: .activityCodeUsed
    case .identityConnected: .activityProviderConnected
    case .identityDisconnected: .activityProviderDisconnected
    case .logoutNotDelivered: .activityLogoutNotDelivered
    case .accountRemoved, .signUpLinkIssued, .clientAuthenticationFailed, .clientAdded, .clientChanged, .clientRemoved,
      .registrationRejected,
      .initialAccessTokenAdded, .initialAccessTokenRemoved, .keyAdded, .keyRetired, .serverStarted, .serverStopped,
      .databaseRestored, .upstreamAdded, .upstreamChanged, .upstreamRemoved:
      nil
    }
  }

  private var isByOperator: Bool { self.record.origin.source == .command }

  private var profileText: PageText {
    if self.isByOperator { return .activityProfileChangedByOperator }
    return self.record.reason == .language ? .activityLanguageChanged : .activityProfileChanged
  }

  private var linkText: PageText {
    switch self.record.reason {
    case .invitation: .activityInvited
    case .emailVerification: .activityEmailLink
    default: self.isByOperator ? .activityPasswordLinkByOperator : .activityPasswordLink
    }
  }

  private var rejectionText: PageText {
    switch self.record.reason {
    case .wrongPassword: .activityWrongPassword
    case .wrongCode, .usedCode: .activityWrongCode
    case .throttled: .activityThrottled
    case .accountDisabled: .activityDisabledSignIn
    default: .activitySignInFailed
    }
  }

  private var signOutText: PageText {
    if self.isByOperator { return .activitySignedOutByOperator }
    return switch self.record.reason {
    case .otherUser: .activityOtherUser
    case .evicted: .activityEvicted
    case .tooManyAccounts: .activityTooManyAccounts
    case .twoStepVerification: .activitySignedOutByTwoStep
    case .upstreamLogout: .activityProviderLogout
    default: .activitySignedOut
    }
  }
}
