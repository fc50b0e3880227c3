import ArgumentParser
import Sallyport
import SallyportProtocol

/// A provider that the SDK knows. If the provider has several servers, the value names one of them, for example
/// `microsoft:contoso.onmicrosoft.com`.
struct Provider: Equatable, Sendable {
  enum Name: String, CaseIterable, Sendable {
    case apple, auth0, cognito, dropbox, github, gitlab, google, keycloak, microsoft, okta, slack
  }

  let name: Name
  /// The text after the colon, if any: the tenant, domain, user pool, or URL of the server.
  private let place: String?

  /// Parses `NAME` or `NAME:PLACE`.
  /// - Throws: `ValidationError` if the provider is unknown, if a command cannot use the provider, or if PLACE is
  ///   missing, superfluous, or invalid.
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = Name(rawValue: parts[0].lowercased()) else {
      throw ValidationError("a provider must be one of \(Self.usable.map(\.rawValue).joined(separator: ", "))")
    }
    guard Self.usable.contains(name) else { throw Self.loopbackRedirectsRejected(by: name) }
    self.name = name
    self.place = parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil
    if self.place == nil, Self.needsPlace.contains(name) {
      throw ValidationError("specify the server, for example \(Self.example(of: name))")
    }
    let acceptsPlace = Self.needsPlace.contains(name) || name == .microsoft || name == .gitlab
    if let place = self.place, !acceptsPlace {
      throw ValidationError("\(name.rawValue) has only one server; leave out \":\(Printable.text(place))\"")
    }
    do {
      _ = try self.configuration(audience: nil)
    } catch {
      throw ValidationError(
        "\"\(Printable.text(self.place ?? ""))\" does not name a server; write it like \(Self.example(of: name))")
    }
  }

  /// The error for a provider at which a command cannot sign in: Apple or Slack.
  static func loopbackRedirectsRejected(by name: Name) -> ValidationError {
    let provider = name == .apple ? "Apple" : "Slack"
    return ValidationError(
      "\(provider) does not accept loopback redirect URIs, the only ones that a command can receive; sign in with an app or a website"
    )
  }

  /// Whether the provider can offer registration (RFC 7591). The other providers have no registration endpoint.
  var canRegister: Bool { [.auth0, .gitlab, .keycloak, .okta].contains(self.name) }

  /// Whether a refresh ends the previous access token, so that a session has only one valid access token.
  ///
  /// - GitHub: "Once you use a refresh token, that refresh token and the old user access token will no longer work."
  ///   https://github.com/github/docs/blob/2e15944ca6efa9d1d7524afbf4fa49797f59356c/content/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens.md
  ///   (read 2026-11-23)
  /// - GitLab 18:
  ///   https://github.com/gitlabhq/gitlabhq/blob/04b8ef1303253eb7059349dfa73dfe25df4ac1fb/doc/api/oauth2.md
  var replacesAccessToken: Bool { [.github, .gitlab].contains(self.name) }

  /// Whether the provider ignores the parameter `resource` (RFC 8707). The documentation of these providers does not
  /// mention the parameter.
  var ignoresResource: Bool { [.dropbox, .github, .google].contains(self.name) }

  /// Whether a client can use any loopback redirect URI without registering it.
  /// https://developers.google.com/identity/protocols/oauth2/resources/loopback-migration (2022-02-16)
  var acceptsEveryLoopbackURI: Bool { self.name == .google }
  /// The page on which users remove an app's access, for providers without a revocation endpoint.
  /// https://github.com/github/docs/blob/029b09ac7206a46ede804fd54fa6273376490c3c/content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md
  /// (read 2026-11-23)
  var pageForRemovingApps: String? { self.name == .github ? "https://github.com/settings/applications" : nil }
  /// Whether a revocation ends all sessions of the same user and client.
  /// https://github.com/googleads/googleads-dotnet-lib/issues/204 (2019-01-04)
  var revokesAllSessions: Bool { self.name == .google }

  /// Whether every client needs a secret for sign-in with a browser.
  ///
  /// GitHub: "The client_secret is not needed for the device flow".
  /// https://github.com/github/docs/blob/029b09ac7206a46ede804fd54fa6273376490c3c/content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md
  /// (read 2026-11-23)
  var requiresSecretWithBrowser: Bool { self.name == .github }

  /// The providers at which a command can sign in.
  static let usable = Name.allCases.filter { $0 != .apple && $0 != .slack }
  private static let needsPlace: [Name] = [.auth0, .cognito, .keycloak, .okta]

  private static func example(of name: Name) -> String {
    switch name {
    case .auth0: "auth0:contoso.eu.auth0.com"
    case .cognito: "cognito:eu-central-1_a1b2c3d4e"
    case .gitlab: "gitlab:https://gitlab.example.com"
    case .keycloak: "keycloak:https://sso.example.com/realms/main"
    case .microsoft: "microsoft:contoso.onmicrosoft.com"
    case .okta: "okta:contoso.okta.com or okta:contoso.okta.com/default"
    case .apple, .dropbox, .github, .google, .slack: name.rawValue
    }
  }

  /// What the SDK knows about the server.
  /// - Parameter audience: The API that the tokens are for, for providers that expect it in each request.
  func configuration(audience: String?) throws -> ServerConfiguration {
    let place = self.place ?? ""
    switch self.name {
    case .apple: return .apple(formPost: false)
    case .auth0: return try .auth0(domain: place, audience: audience)
    // The identifier of a user pool begins with its region.
    case .cognito: return try .cognito(region: String(place.prefix { $0 != "_" }), userPool: place)
    case .dropbox: return .dropbox
    case .github: return .gitHub
    case .gitlab: return place.isEmpty ? .gitLab : .gitLab(try Issuer(place))
    case .google: return .google
    case .keycloak: return ServerConfiguration(issuer: try Issuer(place))
    case .microsoft: return try .microsoft(tenant: place.isEmpty ? "common" : place)
    case .okta:
      let parts = place.split(separator: "/", maxSplits: 1).map(String.init)
      return try .okta(domain: parts.first ?? "", authorizationServer: parts.count == 2 ? parts[1] : nil)
    case .slack: return .slack
    }
  }

  /// The form that ``init(_:)`` parses.
  var text: String { self.name.rawValue + (self.place.map { ":\($0)" } ?? "") }
}
