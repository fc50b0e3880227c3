import ArgumentParser
import Foundation
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("Providers of --provider")
struct ProviderTests {
  @Test(
    "the provider's name and the text after the colon determine the issuer",
    arguments: [
      ("google", "https://accounts.google.com"), ("GitHub", "https://github.com"), ("dropbox", "https://www.dropbox.com"),
      ("microsoft", "https://login.microsoftonline.com/common/v2.0"),
      ("microsoft:contoso.onmicrosoft.com", "https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0"),
      ("auth0:contoso.eu.auth0.com", "https://contoso.eu.auth0.com/"), ("okta:contoso.okta.com", "https://contoso.okta.com"),
      ("okta:contoso.okta.com/default", "https://contoso.okta.com/oauth2/default"),
      ("keycloak:https://sso.example.com/realms/main", "https://sso.example.com/realms/main"),
      ("cognito:eu-central-1_a1b2c3d4e", "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a1b2c3d4e"),
      ("gitlab", "https://gitlab.com"), ("gitlab:https://gitlab.example.com", "https://gitlab.example.com"),
    ])
  func issuers(text: String, issuer: String) throws {
    let provider = try Provider(text)
    #expect(try provider.configuration(audience: nil).issuer.value == issuer)
    #expect(try Provider(provider.text) == provider)
  }

  @Test(
    "an unknown, incomplete, or unusable provider is a usage error that says what to change",
    arguments: [
      ("facebook", "google"), ("auth0", "auth0:contoso.eu.auth0.com"), ("auth0:", "auth0:contoso"),
      ("auth0:https://contoso.eu.auth0.com", "auth0:contoso"), ("okta", "okta:contoso"), ("keycloak:main", "keycloak:https://"),
      ("microsoft:a/b", "microsoft:contoso"), ("google:x", "only one server"), ("cognito", "cognito:eu"),
      ("okta:/", "okta:contoso"), ("apple", "loopback redirect"), ("slack", "loopback redirect"), ("", "google"),
    ])
  func rejected(text: String, words: String) {
    let error = #expect(throws: ValidationError.self) { try Provider(text) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error?.message))")
  }

  @Test(
    "if --issuer names a known provider, login requires or suggests --provider, or says that it cannot sign in at the provider",
    arguments: [
      ("https://github.com", .require("github")), ("https://github.com/", .require("github")),
      ("https://api.github.com", .require("github")), ("https://slack.com", .impossible(.slack)),
      ("https://appleid.apple.com", .impossible(.apple)), ("https://accounts.google.com", .prefer("google")),
      ("https://www.dropbox.com", .prefer("dropbox")), ("https://gitlab.com", .prefer("gitlab")),
      ("https://login.microsoftonline.com/common/v2.0", .prefer("microsoft")),
      ("https://login.microsoftonline.com/contoso.onmicrosoft.com/v2.0", .prefer("microsoft:contoso.onmicrosoft.com")),
      ("https://id.example", nil), ("https://github.com/login/oauth", nil), ("https://github.com.example", nil),
    ] as [(String, SallyportCommand.Provider.IssuerAdvice?)])
  func advice(issuer: String, advice: SallyportCommand.Provider.IssuerAdvice?) throws {
    let issuer = try Issuer(issuer)
    #expect(SallyportCommand.Provider.advice(for: issuer) == advice)
    switch advice {
    case .require(let name):
      let error = #expect(throws: ValidationError.self) { try Provider.check(issuer) }
      #expect(error?.message.contains("--provider \(name)") == true)
    case .impossible: #expect(throws: ValidationError.self) { try Provider.check(issuer) }
    // The suggested name must be valid.
    case .prefer(let name): #expect(throws: Never.self) { try Provider(name) }
    case nil: #expect(throws: Never.self) { try Provider.check(issuer) }
    }
  }

  @Test(
    "the question for the server accepts a provider, its issuer, or another issuer",
    arguments: [
      ("google", "google"), ("GitHub", "github"), ("https://github.com", "github"), ("https://gitlab.com", "gitlab"),
      ("okta:contoso.okta.com", "okta:contoso.okta.com"), ("https://id.example", nil),
    ])
  func named(text: String, provider: String?) throws {
    let expected: NamedServer = try provider.map { .provider(try Provider($0)) } ?? .issuer(try Issuer(text))
    #expect(try NamedServer(text) == expected)
  }

  @Test(
    "the question for the server does not accept an unusable or incomplete provider, or an issuer without https://",
    arguments: ["slack", "https://slack.com", "okta", "id.example"])
  func notNamed(text: String) {
    #expect(throws: ValidationError.self) { try NamedServer(text) }
  }

  @Test("an account with a provider or a server configuration is stored and read again, and an unknown provider is ignored")
  func stored() throws {
    var account = Account(issuer: try Issuer("https://accounts.google.com"), clientID: "notes")
    for server in [ServerDescription.provider(try Provider("google")), .members(["discovery": .bool(false)])] {
      account.server = server
      #expect(try JSONDecoder().decode(Account.self, from: JSONEncoder().encode(account)) == account)
    }
    let future = #"[{"issuer":"https://id.example","client_id":"a","dpop":false,"provider":"future"}]"#
    #expect(try JSONDecoder().decode([Account].self, from: Data(future.utf8)).first?.server == nil)
  }
}
