import Sallyport

/// The values that the code on a page of the documentation may use without declaring them.
struct RecipeContext<Browser: UserAgent & RedirectReceiver, Store: TokenStore>: Sendable {
  let issuer: Issuer
  let store: Store
  let transport: any Transport
  let browser: Browser
  /// The port that replaces 8976 in the code of the page, because 8976 may be in use on the machine that runs the
  /// tests.
  let port: String

  var receiver: Browser { self.browser }
}

/// The error for a page whose code this program does not contain, or for a wrong number of arguments. `name` is the
/// name of the page, or empty if the number of arguments is wrong.
struct UsageError: Error {
  let name: String
}

/// Prints a token for the test that runs the page.
func report(_ token: Secret<String>) {
  print("token: \(token.reveal())")
}
