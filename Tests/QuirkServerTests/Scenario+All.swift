import QuirkServer
import Sallyport
import SallyportProtocol

extension Scenario {
  static let all: [Scenario] = Self.make()
  static var withDeviceFlow: [Scenario] { self.all.filter { $0.provider.endpoints.device != nil } }
  static var withSecret: [Scenario] { self.all.filter { $0.secret != nil } }

  /// Returns one scenario for each simulated provider. The app in a scenario uses the SDK's preset for the provider.
  private static func make() -> [Scenario] {
    do {
      return try self.microsoft() + [
        Scenario(
          provider: .google, server: .google, scope: [.openID, .email],
          furtherScope: "https://www.googleapis.com/auth/drive.file", secret: Secret("GOCSPX-secret")),
        Scenario(
          provider: .gitHub, server: .gitHub, scope: "read:user", furtherScope: "repo", secret: Secret("github-secret")),
        Scenario(
          provider: .apple, server: .apple(formPost: false), scope: .openID, furtherScope: .email,
          secret: Secret(RawClient.appleSecret)),
        Scenario(
          provider: .okta, server: .okta(domain: "contoso.okta.com"), scope: [.openID, .offlineAccess],
          furtherScope: "notes.write"),
        Scenario(
          provider: .auth0, server: .auth0(domain: "contoso.eu.auth0.com", audience: "https://api.contoso.example"),
          scope: [.openID, .offlineAccess], furtherScope: "write:notes"),
        Scenario(
          provider: .keycloak, server: .keycloak(EndpointURL("https://sso.contoso.example"), realm: "notes"),
          scope: .openID, furtherScope: "notes"),
        Scenario(
          provider: .cognito, server: .cognito(region: "eu-central-1", userPool: "eu-central-1_a1b2c3d4e"),
          scope: .openID, furtherScope: .email),
        Scenario(provider: .slack, server: .slack, scope: "chat:write", furtherScope: "files:read"),
        Scenario(provider: .gitLab, server: .gitLab, scope: .openID, furtherScope: "read_api"),
        Scenario(
          provider: .dropbox, server: .dropbox, scope: "account_info.read", furtherScope: "files.content.read"),
      ]
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func microsoft() throws -> [Scenario] {
    let scope: Scope = [.openID, .offlineAccess, "User.Read"]
    return [
      Scenario(
        provider: .microsoftTenant, server: try .microsoft(tenant: QuirkyProvider.userTenant), scope: scope,
        furtherScope: "Mail.Read"),
      Scenario(
        provider: .microsoftCommon, server: try .microsoft(tenant: "common"), scope: scope, furtherScope: "Mail.Read"),
      Scenario(
        provider: .microsoftOrganizations, server: try .microsoft(tenant: "organizations"), scope: scope,
        furtherScope: "Mail.Read"),
      Scenario(
        provider: .microsoftB2C,
        server: try .microsoftB2C(name: "contoso", tenantID: QuirkyProvider.userTenant, policy: "B2C_1_signin"),
        scope: [.openID, .offlineAccess], furtherScope: "https://contoso.onmicrosoft.com/api/read"),
    ]
  }
}
