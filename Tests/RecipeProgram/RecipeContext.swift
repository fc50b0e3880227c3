import Sallyport

/// What the code on a page may use without declaring it.
struct RecipeContext<Browser: UserAgent & RedirectReceiver, Store: TokenStore>: Sendable {
  let issuer: Issuer
  let store: Store
  let transport: any Transport
  let browser: Browser
  /// Replaces the port in the code of the page.
  let port: String

  var receiver: Browser { self.browser }
}

/// There is no recipe for this page.
struct UnknownPage: Error {
  let name: String
}

/// Prints a token for the test that runs the page.
func report(_ token: Secret<String>) {
  print("token: \(token.reveal())")
}
