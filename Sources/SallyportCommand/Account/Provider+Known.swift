import ArgumentParser
import Sallyport
import SallyportProtocol

extension Provider {
  /// The origins of the provider's own APIs, which accept its access tokens. Apple has no such API. The tokens of
  /// Auth0, Cognito, Keycloak, and Okta are for the APIs of their customers.
  var apiOrigins: [EndpointURL] {
    let urls: [String] =
      switch self.name {
      case .dropbox: ["https://api.dropboxapi.com", "https://content.dropboxapi.com"]
      case .github: ["https://api.github.com"]
      // The issuer of GitLab is also the origin of its API, and can be a host of the user's organization.
      case .gitlab: [(try? self.configuration(audience: nil).issuer.value) ?? "https://gitlab.com"]
      case .google: Self.googleServices.map { "https://\($0).googleapis.com" }
      case .microsoft: ["https://graph.microsoft.com"]
      case .slack: ["https://slack.com"]
      case .apple, .auth0, .cognito, .keycloak, .okta: []
      }
    return urls.compactMap { try? EndpointURL($0) }
  }

  /// The subdomains of `googleapis.com` that serve the APIs of a user's own data. Other APIs need `--token-origin`.
  private static let googleServices = [
    "www", "docs", "drive", "gmail", "openidconnect", "people", "sheets", "slides", "tasks", "youtube",
  ]

  /// What to do if the user specifies a known provider with `--issuer`.
  enum IssuerAdvice: Equatable {
    /// The sign-in can succeed, but `--provider` with this value also applies the settings that the server needs.
    case prefer(String)
    /// Only `--provider` with this value can work, because the server publishes no metadata.
    case require(String)
    /// The provider does not accept loopback redirect URIs, the only ones that a command can receive.
    case impossible(Name)
  }

  /// - Returns: `nil` if there is no advice for this issuer.
  static func advice(for issuer: Issuer) -> IssuerAdvice? {
    // An issuer with a path on the hosts of GitHub and Slack may be another server, so there is no advice for it.
    let isRoot = issuer.path.isEmpty
    switch issuer.host.lowercased() {
    case "github.com", "www.github.com", "api.github.com": return isRoot ? .require("github") : nil
    case "slack.com", "www.slack.com", "api.slack.com": return isRoot ? .impossible(.slack) : nil
    case "appleid.apple.com": return .impossible(.apple)
    case "accounts.google.com", "google.com", "www.google.com": return .prefer("google")
    case "dropbox.com", "www.dropbox.com", "api.dropboxapi.com": return .prefer("dropbox")
    case "gitlab.com": return .prefer("gitlab")
    case "login.microsoftonline.com":
      let tenant = issuer.path.split(separator: "/").first.map(String.init) ?? "common"
      return .prefer(tenant == "common" ? "microsoft" : "microsoft:\(tenant)")
    default: return nil
    }
  }

  /// Checks the value of `--issuer`, and prints a note if `--provider` is the better choice.
  /// - Throws: `ValidationError` if a sign-in cannot succeed.
  static func check(_ issuer: Issuer) throws {
    switch self.advice(for: issuer) {
    case .require(let provider):
      let option = ShellWords().adding("--provider", provider)
      throw ValidationError("\(issuer) publishes no metadata. Use `\(option)` instead of --issuer.")
    case .impossible(let name): throw self.loopbackRedirectsRejected(by: name)
    case .prefer(let provider):
      let option = ShellWords().adding("--provider", provider)
      Output.message("Note: Use `\(option)` instead of --issuer. It applies the settings that this server needs.")
    case nil: break
    }
  }
}
