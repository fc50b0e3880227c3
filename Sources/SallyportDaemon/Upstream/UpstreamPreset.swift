import SallyportProtocol
import SallyportRemote
import SallyportServer

/// The values for a known provider, so that operators do not have to look them up.
struct UpstreamPreset {
  let name: String
  /// Nil if each installation or customer of the provider has an issuer of its own.
  let issuer: String?
  let scopes: [String]
  let usernameClaim: String
  /// The issuer of the ID tokens with a placeholder for the tenant; nil if the provider has one issuer.
  var tenantIssuer: String?

  private init(
    _ name: String, issuer: String? = nil, scopes: [String] = ["profile", "email"],
    usernameClaim: String = "preferred_username", tenantIssuer: String? = nil
  ) {
    self.name = name
    self.issuer = issuer
    self.scopes = scopes
    self.usernameClaim = usernameClaim
    self.tenantIssuer = tenantIssuer
  }

  /// The presets, as the help of the command lists them.
  static let names = ["apple", "auth0", "cognito", "gitlab", "google", "keycloak", "microsoft", "okta"]

  /// Returns the preset with a name.
  /// - Parameter tenant: The tenant at Microsoft; nil for `common`.
  static func named(_ preset: String, tenant: String?) throws -> UpstreamPreset {
    guard tenant == nil || preset == "microsoft" else { throw Failure("--tenant requires --preset microsoft") }
    switch preset {
    // No scopes: Apple returns the name and the email address only with response_mode=form_post, and cookies with
    // SameSite=Lax are not sent with a form from another site.
    case "apple": return Self("Apple", issuer: "https://appleid.apple.com", scopes: [])
    case "auth0": return Self("Auth0")
    case "cognito": return Self("Amazon Cognito")
    case "gitlab": return Self("GitLab", issuer: "https://gitlab.com")
    // Google's ID tokens have no preferred_username.
    case "google": return Self("Google", issuer: "https://accounts.google.com", usernameClaim: "email")
    case "keycloak": return Self("Keycloak")
    case "microsoft": return try self.microsoft(tenant ?? "common")
    case "okta": return Self("Okta")
    case "github":
      throw Failure(
        "github cannot be an upstream, because GitHub does not support OpenID Connect for signing in users; connect GitHub to a "
          + "provider that does, such as Keycloak, and add that provider")
    default:
      throw Failure("unknown preset \"\(preset)\"; the presets are \(self.names.joined(separator: ", "))")
    }
  }

  /// Returns the preset for the users of one tenant or of several tenants. In the metadata of `common` and `organizations`,
  /// the issuer contains a placeholder for the tenant. In the metadata of a domain name, it contains the tenant's identifier.
  private static func microsoft(_ tenant: String) throws -> UpstreamPreset {
    guard !tenant.isEmpty, !tenant.contains("/") else { throw Failure("--tenant \"\(tenant)\" is not a tenant") }
    let host = "https://login.microsoftonline.com"
    return Self(
      "Microsoft", issuer: "\(host)/\(tenant == "consumers" ? self.consumers : tenant)/v2.0",
      tenantIssuer: "\(host)/\(TenantPolicy.placeholder)/v2.0")
  }

  /// The tenant of all personal accounts.
  private static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Returns the issuer of the option or, without the option, the issuer of the preset.
  func issuer(orOption option: String?) throws -> String {
    guard let issuer = option ?? self.issuer else {
      throw Failure("\(self.name) has an issuer for each customer or installation; specify it with --issuer")
    }
    return issuer
  }

  /// Replaces the settings of a new upstream.
  func apply(to upstream: inout UpstreamRecord) {
    upstream.name = self.name
    upstream.details.scopes = self.scopes
    upstream.details.usernameClaim = self.usernameClaim
    upstream.details.tenantIssuer = self.tenantIssuer
  }
}
