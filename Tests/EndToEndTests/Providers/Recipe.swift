import QuirkServer
import Testing

/// The command lines on the documentation page about a provider, and what the page says about registering the app.
struct Recipe: Sendable, CustomTestStringConvertible {
  /// The name of the page's file.
  var page: String
  var provider: QuirkyProvider
  /// The client identifier in the command lines.
  var clientID: String
  /// The redirect URI to register, or `nil` to keep the redirect URIs of ``provider``. A test replaces port 8976, here
  /// and in the command lines, with a free port.
  var redirectURI: String?
  /// A replacement to make in the command lines, for a variant that the text of the page describes; `nil` to run them
  /// unchanged.
  var change: (old: String, new: String)?

  var testDescription: String { "\(self.page)\(self.change.map { ", with \($0.new)" } ?? "")" }
}

extension Recipe {
  static let all: [Recipe] = [
    Recipe(page: "Google", provider: .google, clientID: "123.apps.googleusercontent.com"),
    Recipe(
      page: "Google", provider: .google, clientID: "123.apps.googleusercontent.com",
      change: ("login ", "login --device ")),
    Recipe(
      page: "Microsoft", provider: .microsoftCommon, clientID: "535fb089-9ff3-47b6-9bfb-4f1264799865",
      redirectURI: "http://localhost/oauth2redirect/login.microsoftonline.com/common/v2.0"),
    Recipe(
      page: "Microsoft", provider: .microsoftTenant, clientID: "535fb089-9ff3-47b6-9bfb-4f1264799865",
      redirectURI: "http://localhost/oauth2redirect/login.microsoftonline.com/\(QuirkyProvider.userTenant)/v2.0",
      change: ("--provider microsoft ", "--provider microsoft:\(QuirkyProvider.userTenant) ")),
    Recipe(page: "GitHub", provider: .gitHub, clientID: "Iv1.8a61f9b3a7aba766", redirectURI: "http://127.0.0.1/callback"),
    Recipe(
      page: "GitHub", provider: .gitHub, clientID: "Iv1.8a61f9b3a7aba766", redirectURI: "http://127.0.0.1/callback",
      change: ("--device", "--client-secret-file client-secret.txt --redirect-uri http://127.0.0.1/callback")),
    Recipe(page: "Auth0", provider: .auth0, clientID: "auth0client", redirectURI: "http://127.0.0.1:8976/callback"),
    Recipe(page: "Okta", provider: .okta, clientID: "0oa1b2c3d4", redirectURI: "http://127.0.0.1:8976/callback"),
    Recipe(
      page: "Keycloak", provider: .keycloak, clientID: "notes",
      redirectURI: "http://127.0.0.1/oauth2redirect/sso.contoso.example/realms/notes"),
    Recipe(page: "Cognito", provider: .cognito, clientID: "1example23456789", redirectURI: "http://localhost:8976/callback"),
    Recipe(page: "GitLab", provider: .gitLab, clientID: "gitlab-application", redirectURI: "http://127.0.0.1:8976/callback"),
    Recipe(
      page: "GitLab", provider: .gitLab, clientID: "gitlab-application", redirectURI: "http://127.0.0.1:8976/callback",
      change: ("login ", "login --device ")),
    Recipe(page: "Dropbox", provider: .dropbox, clientID: "dropboxkey", redirectURI: "http://127.0.0.1:8976/callback"),
  ]
}
