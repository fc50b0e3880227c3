import Sallyport
import SallyportProtocol

extension CommandFailure {
  /// Converts an error that ends a sign-in to an account.
  /// - Parameters:
  ///   - thrown: The error.
  ///   - account: The account.
  ///   - redirectURI: The redirect URI of the request that the browser shows, or `nil` if the sign-in is not waiting
  ///     for a redirect.
  init(login thrown: any Error, to account: Account, waitingFor redirectURI: String?) {
    let error = thrown as? SignInError ?? (thrown is CancellationError ? .cancelled : nil)
    switch (error, redirectURI) {
    case (.timedOut?, let uri?):
      let advice = Self.adviceAboutErrorPage(account, uri)
      let beginning = advice.map { "\($0) Otherwise, run" } ?? "Run"
      self.init(
        .denied, "The sign-in was not finished in time.",
        "\(beginning) the command again, with a longer --timeout if you need it.")
    case (.cancelled?, let uri?): self.init(.denied, "Sign-in canceled.", Self.adviceAboutErrorPage(account, uri))
    case (let error?, _): self.init(error, account)
    case (nil, _): self.init(login: thrown)
    }
  }

  /// Returns what to check if the browser showed an error page.
  ///
  /// If the client identifier or the redirect URI is wrong, the server shows the user an error page and doesn't
  /// redirect (RFC 6749 §4.1.2.1), so the command cannot know the reason.
  /// - Returns: `nil` if the command itself registered the client with this redirect URI, because both are then
  ///   correct.
  private static func adviceAboutErrorPage(_ account: Account, _ redirectURI: String) -> String? {
    guard !account.usesOwnRegistration else { return nil }
    let client =
      "If the browser showed an error, check that the client identifier \"\(Printable.text(account.clientID))\" is correct"
    if case .provider(let provider) = account.server, provider.acceptsEveryLoopbackURI {
      return "\(client), and that its type is an app that is installed on a computer (Google: \"Desktop app\")."
    }
    return "\(client), and that this redirect URI is registered for it at the server: "
      + "\(redirectURI).\(Self.adviceAboutPort(account))"
  }

  private static func adviceAboutPort(_ account: Account) -> String {
    guard account.redirectURI?.components.port == nil else { return "" }
    return " Register it without the port, which is different each time, or choose a port with --redirect-uri."
  }

  /// What to do if the server does not accept the redirect URI.
  /// - Returns: `nil` if this installation registered the client, or if no redirect URI can be made from the issuer.
  static func adviceAboutRedirectURI(_ account: Account) -> String? {
    let host = (try? account.configuration)?.loopbackHost ?? .ipv4
    guard !account.usesOwnRegistration,
      let uri = account.redirectURI ?? (try? .loopback(for: account.issuer, host: host))
    else { return nil }
    let port = uri.components.port == nil ? " The request adds a port, which is different each time." : ""
    return "Register the redirect URI \(uri) for the client \"\(Printable.text(account.clientID))\" at the server, or specify a "
      + "registered one with --redirect-uri.\(port)"
  }

  /// Tells the user which redirect URI to register, before the browser shows the request.
  /// - Parameter redirectURI: The redirect URI of the request.
  /// - Returns: `nil` if the user need not register it.
  static func noteAboutRedirectURI(_ account: Account, _ redirectURI: String) -> String? {
    if account.usesOwnRegistration { return nil }
    if case .provider(let provider) = account.server, provider.acceptsEveryLoopbackURI { return nil }
    return "This redirect URI must be registered for the client \"\(Printable.text(account.clientID))\" at the server: "
      + "\(redirectURI).\(Self.adviceAboutPort(account))"
  }
}
