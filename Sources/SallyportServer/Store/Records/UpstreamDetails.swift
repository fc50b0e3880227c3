/// The settings of an upstream that the store keeps as JSON.
public struct UpstreamDetails: Codable, Sendable, Equatable {
  /// What happens when a user without an account signs in. The raw values are stored.
  public enum Accounts: String, Codable, Sendable, CaseIterable {
    /// An account is created.
    case create
    /// The sign-in fails. Users must first connect their identity at the provider on their account pages.
    case linkOnly = "link-only"
  }

  /// The requested scope values besides `openid`.
  public var scopes: [String]
  public var accounts: Accounts
  /// The domains, in lowercase, for which the operator trusts the provider's `email_verified`. A verified address in
  /// such a domain identifies an existing account, and counts as verified for a new account.
  public var trustedDomains: [String]
  /// The claim from which the user name of a new account is made, such as `preferred_username` or `email`.
  public var usernameClaim: String
  /// The claim that contains the full name of the user of a new account; nil for `name`.
  public var nameClaim: String?
  /// The `acr` values of the provider that count as two factors (this server's `acr` value `2`).
  public var twoFactorContexts: [String]
  /// The `token_endpoint_auth_method`: `client_secret_basic` or `client_secret_post`; nil to choose one that the
  /// provider announces.
  public var authenticationMethod: ClientAuthenticationMethod?
  /// The issuer of the ID tokens of a multitenant provider, with `{tenantid}` in place of the tenant; nil if the
  /// provider has one issuer.
  public var tenantIssuer: String?
  /// The tenants of a multitenant provider whose users may sign in; nil for all tenants.
  public var allowedTenants: [String]?

  public init(
    scopes: [String] = ["profile", "email"], accounts: Accounts = .linkOnly, trustedDomains: [String] = [],
    usernameClaim: String = "preferred_username", twoFactorContexts: [String] = [],
    authenticationMethod: ClientAuthenticationMethod? = nil, tenantIssuer: String? = nil, allowedTenants: [String]? = nil,
    nameClaim: String? = nil
  ) {
    self.scopes = scopes
    self.accounts = accounts
    self.trustedDomains = trustedDomains
    self.usernameClaim = usernameClaim
    self.twoFactorContexts = twoFactorContexts
    self.authenticationMethod = authenticationMethod
    self.tenantIssuer = tenantIssuer
    self.allowedTenants = allowedTenants
    self.nameClaim = nameClaim
  }
}
