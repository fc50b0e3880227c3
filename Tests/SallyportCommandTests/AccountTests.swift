import Foundation
import Sallyport
import SallyportProtocol
import SallyportTesting
import Testing

@testable import SallyportCommand

@Suite("Accounts")
struct AccountTests {
  private func account(_ provider: String, _ change: (inout Account) throws -> Void = { _ in }) throws -> Account {
    let provider = try Provider(provider)
    var account = Account(issuer: try provider.configuration(audience: nil).issuer, clientID: "notes")
    account.server = .provider(provider)
    try change(&account)
    return account
  }

  @Test("an account's scope is stored as 'requested_scope', and a scope that was stored under the earlier name 'scope' is read")
  func scope() throws {
    let account = try self.account("google") { $0.scope = "openid email" }
    let encoded = try JSONEncoder().encode(account)
    let text = String(decoding: encoded, as: UTF8.self)
    #expect(text.contains("\"requested_scope\":\"openid email\"") && !text.contains("\"scope\""), "\(text)")
    let former = text.replacing("requested_scope", with: "scope")
    #expect(try JSONDecoder().decode(Account.self, from: Data(former.utf8)) == account)
  }

  @Test(
    "C-34: the tokens of an account at a provider may be sent to the provider's own APIs, but not to other hosts",
    arguments: [
      ("google", "https://www.googleapis.com/drive/v3/files"), ("google", "https://openidconnect.googleapis.com/v1/userinfo"),
      ("github", "https://api.github.com/user"), ("gitlab", "https://gitlab.com/api/v4/user"),
      ("gitlab:https://gitlab.example.com", "https://gitlab.example.com/api/v4/user"),
      ("dropbox", "https://api.dropboxapi.com/2/files"), ("microsoft", "https://graph.microsoft.com/v1.0/me"),
    ])
  func origins(provider: String, url: String) throws {
    let account = try self.account(provider)
    // `apiSegments` returns nil for a URL to which the tokens must not be sent.
    #expect(account.apiSegments(at: try EndpointURL(url)) != nil)
    for other in ["https://api.example/", "https://github.com/", "https://googleapis.com.example/", "http://127.0.0.1/"] {
      #expect(account.apiSegments(at: try EndpointURL(other)) == nil, "\(other)")
    }
    var withoutProvider = account
    withoutProvider.server = nil
    #expect(withoutProvider.allTokenOrigins.isEmpty)
  }

  @Test(
    "C-34: token origins are those that the user named and the provider's APIs; an account for one API (--resource) has none"
  )
  func namedOrigins() throws {
    let api = try EndpointURL("https://api.example/")
    let named = try self.account("github") { $0.tokenOrigins = [api] }
    #expect(named.allTokenOrigins.map(\.value) == ["https://api.example/", "https://api.github.com"])
    let resource = try self.account("github") { $0.resource = api }
    #expect(resource.allTokenOrigins.isEmpty)
  }

  @Test("a list of accounts or a client secret that cannot be read counts as missing, and the next sign-in replaces the list")
  func damaged() async throws {
    let store = MemoryTokenStore()
    let account = try self.account("google") { $0.hasSecret = true }
    let book = AccountBook(store)
    try await book.remember(account)
    store.loadError = .damaged(reason: "the key file is missing")
    #expect(try await book.accounts().isEmpty)
    #expect(try await book.signedIn().isEmpty)
    #expect(try await StoredClientSecret.stored(for: account, in: store) == nil)
    try await book.forget(account)
    try await book.remember(try self.account("github"))
    store.loadError = nil
    #expect(try await book.accounts().map(\.issuer.value) == ["https://github.com"])
    store.loadError = .unavailable(reason: "locked")
    await #expect(throws: CommandFailure.self) { try await book.accounts() }
  }

  @Test("a granted scope is mentioned if it differs from the requested one in more than the order and offline_access")
  func grantedScope() throws {
    let account = try self.account("gitlab") { $0.scope = "openid read_api offline_access" }
    #expect(try account.noteAboutScope(granted: "read_api openid") == nil)
    let note = try account.noteAboutScope(granted: "openid")
    #expect(note == "The server granted the scope \"openid\". You requested \"openid read_api offline_access\".")
    #expect(try account.noteAboutScope(granted: "openid read_api write") != nil)
    #expect(try self.account("gitlab").noteAboutScope(granted: "openid") == nil, "the user requested no scope")
  }
}
