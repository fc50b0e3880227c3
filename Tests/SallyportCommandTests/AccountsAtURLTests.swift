import ArgumentParser
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("The account for a URL")
struct AccountsAtURLTests {
  private let api: EndpointURL
  /// Two accounts at GitHub, whose tokens may be sent to ``api``, and one account for the API
  /// `https://api.example/notes`.
  private let (work, home, notes): (Account, Account, Account)
  private var all: [Account] { [self.work, self.home, self.notes] }

  init() throws {
    self.api = try EndpointURL("https://api.github.com/user")
    let gitHub = try Provider("github")
    var account = Account(profile: ProfileName("work"), issuer: try Issuer("https://github.com"), clientID: "app")
    account.server = .provider(gitHub)
    self.work = account
    account.profile = ProfileName("home")
    self.home = account
    self.notes = Account(
      issuer: try Issuer("https://id.example"), clientID: "notes", resource: try EndpointURL("https://api.example/notes"))
  }

  @Test("among the accounts for a URL, the current account is used, wherever it is in the list")
  func current() throws {
    let mostSpecific = AccountsAtURL(self.api, of: self.all).mostSpecific
    #expect(mostSpecific == [self.work, self.home])
    for account in [self.work, self.home] {
      #expect(try AccountsAtURL.preferred(of: mostSpecific, current: account, signedIn: self.all) == account)
    }
  }

  @Test("if the current account is not for the URL and several others are, the error lists a command for each of them")
  func ambiguous() throws {
    let mostSpecific = AccountsAtURL(self.api, of: self.all).mostSpecific
    let error = #expect(throws: ValidationError.self) {
      try AccountsAtURL.preferred(of: mostSpecific, current: self.notes, signedIn: self.all)
    }
    let lines = error?.message.split(separator: "\n").dropFirst().map(String.init)
    #expect(lines == ["  sallyport switch --profile work", "  sallyport switch --profile home"])
  }

  @Test("the only account with a session is used, although another account is for the URL too")
  func onlyOne() throws {
    let mostSpecific = AccountsAtURL(self.api, of: self.all).mostSpecific
    let signedIn = [self.home, self.notes]
    #expect(try AccountsAtURL.preferred(of: mostSpecific, current: self.notes, signedIn: signedIn) == self.home)
    #expect(try AccountsAtURL.preferred(of: [], current: self.notes, signedIn: signedIn) == nil)
  }

  @Test("the API with the longest path is used, and an API with a similar path is not")
  func path() throws {
    var root = self.notes
    root.resource = try EndpointURL("https://api.example/")
    let below = try EndpointURL("https://api.example/notes/1")
    #expect(AccountsAtURL(below, of: [root, self.notes]).mostSpecific == [self.notes])
    let similar = try EndpointURL("https://api.example/notes-of-others")
    #expect(AccountsAtURL(similar, of: [root, self.notes]).mostSpecific == [root])
    #expect(AccountsAtURL(similar, of: [self.notes]).atOrigin == [self.notes])
  }
}
