import SallyportProtocol

/// The paths of the pages between an authorization request and its response. The query of each URL contains the
/// encrypted interaction.
enum InteractionPath: String {
  case page = "/interaction"
  case signIn = "/interaction/sign-in"
  case passkey = "/interaction/passkey"
  /// Accepts the code of a second factor.
  case code = "/interaction/code"
  case changePassword = "/interaction/change-password"
  case consent = "/interaction/consent"
  /// Accepts the choice of an account.
  case account = "/interaction/account"
  case switchAccount = "/interaction/switch-account"

  /// The query parameter that contains the encrypted interaction.
  static let parameter = "i"

  /// - Parameter sealed: The encrypted interaction.
  func url(_ sealed: String, _ issuer: Issuer) -> String {
    "\(issuer.url(appending: self.rawValue))?\(Self.parameter)=\(sealed)"
  }

  /// Returns the URL without its origin, for a form or a link.
  func relativeURL(_ sealed: String, _ issuer: Issuer) -> String {
    "\(issuer.path)\(self.rawValue)?\(Self.parameter)=\(sealed)"
  }
}
