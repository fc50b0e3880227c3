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
    "an unknown or incomplete provider is a usage error that shows the right form",
    arguments: [
      ("facebook", "google"), ("auth0", "auth0:contoso.eu.auth0.com"), ("auth0:", "auth0:contoso"),
      ("auth0:https://contoso.eu.auth0.com", "auth0:contoso"), ("okta", "okta:contoso"), ("keycloak:main", "keycloak:https://"),
      ("microsoft:a/b", "microsoft:contoso"), ("google:x", "only one server"), ("cognito", "cognito:eu"),
      ("okta:/", "okta:contoso"), ("apple", "https redirect"), ("slack", "https redirect"), ("", "google"),
    ])
  func rejected(text: String, words: String) {
    let error = #expect(throws: ValidationError.self) { try Provider(text) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error?.message))")
  }

  @Test("an account with a provider or a server configuration is stored and read again, and an unknown provider is ignored")
  func stored() throws {
    var account = Account(issuer: try Issuer("https://accounts.google.com"), clientID: "notes")
    for server in [KnownServer.provider(try Provider("google")), .members(["discovery": .bool(false)])] {
      account.server = server
      #expect(try JSONDecoder().decode(Account.self, from: JSONEncoder().encode(account)) == account)
    }
    let future = #"[{"issuer":"https://id.example","client_id":"a","dpop":false,"provider":"future"}]"#
    #expect(try JSONDecoder().decode([Account].self, from: Data(future.utf8)).first?.server == nil)
  }
}
