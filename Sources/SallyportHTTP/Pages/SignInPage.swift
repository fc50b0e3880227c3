import SallyportLanguages

/// The page that asks for a user name and password, or for a passkey.
///
/// The form for the password has the fields `username` and `password`, the checkbox `public-device`, and the hidden
/// field `csrf`.
package struct SignInPage: Sendable {
  /// What the user signs in for.
  package enum Purpose: Sendable, Equatable {
    /// To continue to the app.
    case app
    /// To approve a device, whose code the user has entered.
    case device
    /// To open the account page.
    case account
    /// To open a page of the account or to make a change there, if this requires a recent or stronger sign-in. The user
    /// is already signed in.
    case confirmation(Confirmation)
  }

  /// Why the user must sign in again, and how.
  package struct Confirmation: Sendable, Equatable {
    /// Whether the user signed in recently, but without the second factor or passkey that a sensitive change requires.
    package var isRecent = false
    /// Whether the change is sensitive, and the account has a passkey.
    package var acceptsPasskey = false
    /// Whether the change is sensitive, and the account has an authenticator app or recovery codes, so that a password
    /// and a code suffice.
    package var acceptsCode = false
    /// Whether the account has a password. If not, the page has no password field, and its texts mention no password.
    package var acceptsPassword = true

    package init(
      isRecent: Bool = false, acceptsPasskey: Bool = false, acceptsCode: Bool = false, acceptsPassword: Bool = true
    ) {
      self.isRecent = isRecent
      self.acceptsPasskey = acceptsPasskey
      self.acceptsCode = acceptsCode
      self.acceptsPassword = acceptsPassword
    }

    /// Whether a sign-in with the password can suffice. Without JavaScript, the page has no button for a passkey, so it
    /// has a password field even if only a passkey suffices.
    var passwordCanSuffice: Bool { self.acceptsPassword && (!self.acceptsPasskey || self.acceptsCode) }

    /// - Parameter hasProviders: Whether the page offers providers.
    func sentence(hasProviders: Bool, _ texts: PageTexts) -> String {
      let weak = self.acceptsPassword ? PageText.confirmationWeak : .confirmationWeakWithoutPassword
      let reason = texts[self.isRecent ? weak : .confirmationOld]
      let advice: PageText? =
        switch (self.acceptsPasskey, self.acceptsCode && (self.acceptsPassword || hasProviders)) {
        case (true, true): self.acceptsPassword ? .confirmationPasskeyOrCode : .confirmationPasskeyOrProvider
        case (true, false): .confirmationPasskey
        case (false, true): self.acceptsPassword ? .confirmationCode : .confirmationProviderAndCode
        case (false, false): nil
        }
      guard let advice else { return reason }
      return texts(.twoSentences, ["first": .text(reason), "second": .text(texts[advice])])
    }
  }

  /// What the account of a signed-in user lacks for the app or its request.
  package struct MissingFactor: Sendable, Equatable {
    package enum Kind: Sendable, CaseIterable {
      case passkey
      /// A passkey whose authenticator has attested its model.
      case attestedPasskey
      /// An authenticator app or a passkey.
      case secondFactor
    }

    package var kind: Kind
    /// The name of the signed-in user.
    package var username: String
    /// The address of the part of the account page where users add the factor.
    package var accountAction: String

    package init(_ kind: Kind, username: String, accountAction: String) {
      self.kind = kind
      self.username = username
      self.accountAction = accountAction
    }
  }

  package var purpose: Purpose
  /// The registered name of the app that the user comes from. The page shows it if the purpose is
  /// ``Purpose/app``, or if there is a ``missingFactor``.
  package var appName: String
  /// Whether an operator registered the app. The page marks other apps as unverified (rule S-26).
  package var isVerified: Bool
  /// The initial value of the user name field: the name that the user entered in a failed attempt, the request's
  /// `login_hint`, or the name of the user who is signed in or who signed in last with this browser.
  package var username: String
  package var failure: SignInFailure?
  /// The factor that the signed-in user must add; nil if the account lacks no factor, or no user is signed in.
  package var missingFactor: MissingFactor?
  /// Whether the checkbox "This is not my device" is selected. A page for ``Purpose/confirmation(_:)`` has no checkbox.
  package var isOnPublicDevice: Bool
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The button for a passkey; nil if passkeys cannot be used.
  package var passkey: PasskeyPrompt?
  /// The address of the page for forgotten passwords; nil if there is none.
  package var forgotAction: String?
  /// The address of the page for new accounts; nil if there is none.
  package var signUpAction: String?
  /// The host of the client metadata document; nil if the app is not identified by one.
  package var documentHost: String?
  /// The app's own links and contacts, from its registration. None of them is verified.
  package var facts: AppFacts
  /// The warning for an embedded web view; nil in a browser.
  package var webView: WebViewWarning?
  /// The providers through which the user can sign in.
  package var upstreams: [UpstreamChoice]

  package init(
    appName: String = "", isVerified: Bool = true, username: String = "", failure: SignInFailure? = nil,
    isOnPublicDevice: Bool = false, action: String, csrfToken: String, passkey: PasskeyPrompt? = nil, forgotAction: String? = nil,
    signUpAction: String? = nil, documentHost: String? = nil, facts: AppFacts = AppFacts(), upstreams: [UpstreamChoice] = [],
    purpose: Purpose = .app
  ) {
    self.purpose = purpose
    self.appName = appName
    self.isVerified = isVerified
    self.username = username
    self.failure = failure
    self.isOnPublicDevice = isOnPublicDevice
    self.action = action
    self.csrfToken = csrfToken
    self.passkey = passkey
    self.forgotAction = forgotAction
    self.signUpAction = signUpAction
    self.documentHost = documentHost
    self.facts = facts
    self.upstreams = upstreams
  }
}
