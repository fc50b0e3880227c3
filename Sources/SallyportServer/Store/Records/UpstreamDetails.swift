/// The settings of an upstream that the store keeps as JSON.
public struct UpstreamDetails: Codable, Sendable, Equatable {
  /// What happens when a user without an account signs in. The raw values are stored.
  public enum Accounts: String, Codable, Sendable, CaseIterable {
    /// An account is created.
    case create
    /// The sign-in fails. Users connect the provider on their account pages first.
    case linkOnly = "link-only"
  }

  /// The requested scope values besides `openid`.
  public var scopes: [String]
  public var accounts: Accounts
  /// The domains for which the operator trusts the provider's `email_verified`: an address there identifies an existing
  /// account, and counts as verified. In lowercase.
  public var trustedDomains: [String]
  /// The claim from which the user name of a new account is made: `preferred_username` or `email`.
  public var usernameClaim: String
  /// The `acr` values of the provider that count as two factors, which is level `2`.
  public var twoFactorContexts: [String]
  /// The `token_endpoint_auth_method`: `client_secret_basic` or `client_secret_post`; nil to choose one that the provider
  /// announces.
  public var authenticationMethod: ClientAuthenticationMethod?

  public init(
    scopes: [String] = ["profile", "email"], accounts: Accounts = .linkOnly, trustedDomains: [String] = [],
    usernameClaim: String = "preferred_username", twoFactorContexts: [String] = [],
    authenticationMethod: ClientAuthenticationMethod? = nil
  ) {
    self.scopes = scopes
    self.accounts = accounts
    self.trustedDomains = trustedDomains
    self.usernameClaim = usernameClaim
    self.twoFactorContexts = twoFactorContexts
    self.authenticationMethod = authenticationMethod
  }
}
