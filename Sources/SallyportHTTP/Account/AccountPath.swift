/// The paths of the account page, relative to the issuer.
enum AccountPath: String {
  case page = "/account"
  /// Asks the user to sign in, or to sign in again.
  case signIn = "/account/sign-in"
  /// Accepts a sign-in with a passkey.
  case passkeySignIn = "/account/sign-in/passkey"
  /// Accepts the code after a correct password.
  case code = "/account/sign-in/code"
  /// Accepts a new password from a user whose current one no longer meets the policy.
  case requiredPassword = "/account/change-password"
  case profile = "/account/profile"
  case language = "/account/language"
  case password = "/account/password"
  /// Sets up an authenticator app.
  case authenticator = "/account/authenticator"
  /// Removes the authenticator app, or creates new recovery codes.
  case twoStep = "/account/two-step"
  /// Adds a passkey.
  case passkeys = "/account/passkeys"
  /// Renames or removes a passkey.
  case passkey = "/account/passkey"
  /// Connects or disconnects an identity at an upstream.
  case providers = "/account/providers"
  case browsers = "/account/browsers"
  /// Switches between the accounts of this browser.
  case accounts = "/account/accounts"
  case apps = "/account/apps"
  case data = "/account/data"
  case deletion = "/account/delete"
  case deleted = "/account/deleted"
  /// Mails a link to an email address.
  case email = "/account/email"
  /// The page of a one-time link.
  case link = "/account/link"
  /// The page on which a user who has used a one-time link chooses a password.
  case chosenPassword = "/account/choose-password"
  case forgotPassword = "/account/forgot-password"
  /// The page on which visitors ask for an account.
  case signUp = "/account/sign-up"
  /// The page of a link for sign-up.
  case signUpLink = "/account/sign-up/link"
  /// The page on which a user who has used a link for sign-up creates the account.
  case newAccount = "/account/sign-up/account"
}

/// The page to which a sign-in leads. The addresses of the sign-in form name one of these pages, and never another
/// address, so that the form cannot be used to redirect users to other sites.
enum AccountTarget: String {
  case page, password, email, authenticator, passkeys, providers, browsers, deletion
  /// The account page of a user who is not signed in yet, while another user is.
  case anotherAccount = "another-account"
  case twoStep = "two-step"

  /// The query parameter that contains the target.
  static let parameter = "for"

  /// Whether the page is for sensitive changes, for which the password alone does not suffice if the account has other
  /// factors (`SensitiveChanges`).
  var isSensitive: Bool {
    switch self {
    case .page, .browsers, .anotherAccount: false
    case .password, .email, .authenticator, .twoStep, .passkeys, .providers, .deletion: true
    }
  }

  /// The path and fragment, relative to the issuer.
  var location: String {
    switch self {
    case .page, .anotherAccount: AccountPath.page.rawValue
    case .password: AccountPath.password.rawValue
    case .authenticator: AccountPath.authenticator.rawValue
    case .twoStep: AccountPath.page.rawValue + "#two-step"
    case .email: AccountPath.page.rawValue + "#profile"
    case .passkeys: AccountPath.page.rawValue + "#passkeys"
    case .providers: AccountPath.page.rawValue + "#providers"
    case .browsers: AccountPath.page.rawValue + "#browsers"
    case .deletion: AccountPath.deletion.rawValue
    }
  }
}
