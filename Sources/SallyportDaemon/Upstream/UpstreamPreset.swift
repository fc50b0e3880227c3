import FoundationEssentials
import SallyportProtocol
import SallyportRemote
import SallyportServer

/// The values for a known provider, so that operators do not have to look them up. The issuer and the tenants are from
/// the preset that clients of the provider use (`SallyportRemote.ServerConfiguration`).
struct UpstreamPreset {
  let name: String
  /// The preset that clients of the provider use; nil if each installation or customer of the provider has an issuer of
  /// its own.
  let server: SallyportRemote.ServerConfiguration?
  let scopes: [String]
  let usernameClaim: String
  /// The issuer of the ID tokens with a placeholder for the tenant; nil if the provider has one issuer.
  var tenantIssuer: String? { self.server?.tenants?.issuerTemplate }
  /// The identifier of the only tenant whose users can sign in; nil if the value of `--tenant` is not an identifier.
  var tenantID: String?

  private init(
    _ name: String, _ server: SallyportRemote.ServerConfiguration? = nil, scopes: [String] = ["profile", "email"],
    usernameClaim: String = "preferred_username"
  ) {
    self.name = name
    self.server = server
    self.scopes = scopes
    self.usernameClaim = usernameClaim
  }

  /// The presets, as the help of the command lists them.
  static let names = ["apple", "auth0", "cognito", "gitlab", "google", "keycloak", "microsoft", "okta"]

  /// Returns the preset with a name.
  /// - Parameter tenant: The tenant at Microsoft; nil for `common`.
  static func named(_ preset: String, tenant: String?) throws -> UpstreamPreset {
    guard tenant == nil || preset == "microsoft" else { throw Failure("--tenant requires --preset microsoft") }
    switch preset {
    // No scopes: Apple returns the name and the email address only with response_mode=form_post, which this server
    // cannot use, because browsers do not send its SameSite=Lax cookies with a form from another site.
    case "apple": return Self("Apple", .apple(formPost: false), scopes: [])
    case "auth0": return Self("Auth0")
    case "cognito": return Self("Amazon Cognito")
    case "gitlab": return Self("GitLab", .gitLab)
    // Google's ID tokens have no preferred_username.
    case "google": return Self("Google", .google, usernameClaim: "email")
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

  /// Returns the preset for the users of one tenant or of several tenants.
  private static func microsoft(_ tenant: String) throws -> UpstreamPreset {
    do {
      let server = try SallyportRemote.ServerConfiguration.microsoft(tenant: tenant)
      var preset = Self("Microsoft", server)
      // ID tokens contain the tenant's identifier, which is part of the issuer, even for `consumers`. The identifier is
      // unknown if `tenant` is a domain name, or a name that stands for many tenants, such as `common`.
      preset.tenantID = server.issuer.value.split(separator: "/").lazy.compactMap { UUID(uuidString: String($0)) }
        .first?.uuidString.lowercased()
      return preset
    } catch {
      throw Failure("--tenant \"\(tenant)\" is not a tenant")
    }
  }

  /// Returns the issuer of the option or, without the option, the issuer of the preset.
  func issuer(orOption option: String?) throws -> String {
    guard let issuer = option ?? self.server?.issuer.value else {
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
    upstream.details.allowedTenants = self.tenantID.map { [$0] }
  }
}
