import Foundation
import QuirkServer
import Testing

/// How a user signs in with a provider by running `sallyport login`.
struct CommandScenario: Sendable, CustomTestStringConvertible {
  var provider: QuirkyProvider
  /// The options of `sallyport login` that name the server.
  var server: [String]
  var scope: String
  /// A scope that the user requests later.
  var furtherScope: String
  /// The user's identifier, as `whoami --json` prints it (`sub`).
  var subject = "ada"
  /// The content of the file for `--server-config`, or `nil` if `--provider` supports the provider.
  var serverConfig: String?

  var testDescription: String { self.provider.name }

  /// The client's secret, if the provider requires one.
  var secret: String? {
    guard case .required(let secret, _) = self.provider.client.secret else { return nil }
    return secret
  }

  var offersRevocation: Bool { self.provider.endpoints.revocation != nil }

  /// Writes the files that the options name.
  /// - Returns: The options of the first sign-in, except the options that select a browser or another device.
  func options(in folder: String) throws -> [String] {
    var options = self.server + ["--client-id", self.provider.client.id, "--scope", self.scope]
    if let serverConfig {
      try serverConfig.write(toFile: "\(folder)/server.json", atomically: true, encoding: .utf8)
      options += ["--server-config", "\(folder)/server.json"]
    }
    if let secret {
      try secret.write(toFile: "\(folder)/client-secret.txt", atomically: true, encoding: .utf8)
      options += ["--client-secret-file", "\(folder)/client-secret.txt"]
    }
    return options
  }
}

extension CommandScenario {
  /// The scenarios for all providers that `sallyport` supports.
  static let all: [CommandScenario] =
    Self.microsoft + [
      CommandScenario(
        provider: .google, server: ["--provider", "google"], scope: "openid email",
        furtherScope: "https://www.googleapis.com/auth/drive.file"),
      CommandScenario(
        provider: .gitHub, server: ["--provider", "github"], scope: "read:user", furtherScope: "repo", subject: "583231"),
      CommandScenario(
        provider: .okta, server: ["--provider", "okta:contoso.okta.com/default"], scope: "openid offline_access",
        furtherScope: "notes.write"),
      CommandScenario(
        provider: .auth0,
        server: ["--provider", "auth0:contoso.eu.auth0.com", "--audience", "https://api.contoso.example"],
        scope: "openid offline_access", furtherScope: "write:notes"),
      CommandScenario(
        provider: .keycloak, server: ["--provider", "keycloak:https://sso.contoso.example/realms/notes"], scope: "openid",
        furtherScope: "notes"),
      CommandScenario(
        provider: .cognito, server: ["--provider", "cognito:eu-central-1_a1b2c3d4e"], scope: "openid",
        furtherScope: "email"),
      CommandScenario(provider: .gitLab, server: ["--provider", "gitlab"], scope: "openid", furtherScope: "read_api"),
      CommandScenario(
        provider: .dropbox, server: ["--provider", "dropbox"], scope: "account_info.read",
        furtherScope: "files.content.read", subject: "dbid:AAH4f99"),
    ]

  static let withDeviceFlow = Self.all.filter { $0.provider.endpoints.device != nil }

  private static var microsoft: [CommandScenario] {
    let scope = "openid offline_access User.Read"
    let tenant = QuirkyProvider.userTenant
    return [
      CommandScenario(
        provider: .microsoftTenant, server: ["--provider", "microsoft:\(tenant)"], scope: scope, furtherScope: "Mail.Read"),
      CommandScenario(provider: .microsoftCommon, server: ["--provider", "microsoft"], scope: scope, furtherScope: "Mail.Read"),
      CommandScenario(
        provider: .microsoftOrganizations, server: ["--provider", "microsoft:organizations"], scope: scope,
        furtherScope: "Mail.Read"),
      CommandScenario(
        provider: .microsoftB2C, server: [], scope: "openid offline_access",
        furtherScope: "https://contoso.onmicrosoft.com/api/read",
        serverConfig: """
          {"issuer": "https://contoso.b2clogin.com/\(tenant)/v2.0/",
           "discovery":
             "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_signin/v2.0/.well-known/openid-configuration"}
          """),
    ]
  }
}
