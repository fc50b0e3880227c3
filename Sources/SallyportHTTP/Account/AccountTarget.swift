import SallyportServer

/// The page to which a sign-in leads. The addresses of the sign-in form name one of these pages, and never another
/// address, so that the form cannot be used to redirect users to other sites.
enum AccountTarget: String {
  case page, password, email, authenticator, passkeys, providers, browsers, deletion
  /// The account page, after the user has signed in to one more account. Unlike with ``page``, the sign-in form is
  /// shown even if a user is signed in.
  case anotherAccount = "another-account"
  case twoStep = "two-step"

  /// The query parameter that contains the target.
  static let parameter = "for"

  /// Whether the page is for sensitive changes, for which the password alone does not suffice if the account has other
  /// factors (`SensitiveChangePolicy`).
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
