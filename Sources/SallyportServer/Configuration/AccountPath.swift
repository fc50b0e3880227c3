/// The paths of the account page and its related pages, relative to the issuer.
package enum AccountPath: String {
  case page = "/account"
  /// Asks the user to sign in, or to sign in again.
  case signIn = "/account/sign-in"
  /// Accepts a sign-in with a passkey.
  case passkeySignIn = "/account/sign-in/passkey"
  /// Accepts the code that a sign-in requires as its second step.
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
  /// Signs the user out of one other browser or of all others.
  case browsers = "/account/browsers"
  /// Switches between the accounts of this browser.
  case accounts = "/account/accounts"
  /// Withdraws the access of an app.
  case apps = "/account/apps"
  /// Downloads the user's data.
  case data = "/account/data"
  case deletion = "/account/delete"
  /// Says that the account was deleted.
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
