import ArgumentParser
import Sallyport
import SallyportProtocol
import SallyportRemote
import Testing

@testable import SallyportCommand

@Suite("Commands in messages")
struct ShellWordsTests {
  /// A text that is allowed as a scope (RFC 6749 §3.3), but contains characters that a shell interprets.
  private static let hostile = "read$(id)`id`'&id;*"
  private static let quoted = #"'read$(id)`id`'\''&id;*'"#

  private func account() throws -> Account {
    Account(profile: ProfileName("work"), issuer: try Issuer("https://id.example"), clientID: "notes", scope: Scope(Self.hostile))
  }

  @Test("a scope that an API requires is quoted in the recommended command")
  func challengedScope() throws {
    var account = try self.account()
    account.scope = nil
    let scope = try #require(Scope(Self.hostile))
    let failure = CommandFailure(SessionError.stepUpRequired(StepUp(scope: scope)), account)
    let whole = Scope([Arguments.defaultScope, scope]).description.replacing("'", with: #"'\''"#)
    #expect(failure.advice == "Run `sallyport login --profile work --scope '\(whole)'`.", "\(failure)")
  }

  @Test("the command that is recommended for a stronger or more recent sign-in requests what the API requires, and is valid")
  func stepUp() throws {
    var account = try self.account()
    account.scope = nil
    let challenge = StepUp(acrValues: ["2", "phr$(id)"], maxAge: .seconds(300))
    let failure = CommandFailure(SessionError.stepUpRequired(challenge), account)
    let options = "--profile work --acr-values '2 phr$(id)' --prompt login"
    #expect(failure.advice == "Run `sallyport login \(options)`.", "\(failure)")
    let words = ["login", "--profile", "work", "--acr-values", "2 phr$(id)", "--prompt", "login"]
    #expect(throws: Never.self) { try RootCommand.parseAsRoot(words) }
    let withScope = CommandFailure(SessionError.stepUpRequired(StepUp(scope: "admin", acrValues: ["phr"])), account)
    #expect(
      withScope.advice == "Run `sallyport login --profile work --scope '\(Arguments.defaultScope) admin' --acr-values phr`.",
      "\(withScope)")
  }

  @Test("an issuer and a resource from a server's metadata are quoted")
  func metadata() {
    let issuer = CommandFailure(DiscoveryError.issuerMismatch(found: "https://id.example/$(id)"))
    #expect(issuer.advice?.contains("`--issuer 'https://id.example/$(id)'`") == true, "\(issuer)")
    let resource = CommandFailure(ResourceDiscoveryError.resourceMismatch(found: "https://api.example/;id"))
    #expect(resource.advice == "Try `--resource 'https://api.example/;id'`.", "\(resource)")
  }

  @Test("the API, the issuer, and the client of an account are quoted in the commands that choose this account")
  func accounts() throws {
    let resource = try EndpointURL("https://api.example/$(id)")
    let account = Account(issuer: try Issuer("https://id.example/&id"), clientID: Self.hostile, resource: resource)
    let options = "--resource 'https://api.example/$(id)' --issuer 'https://id.example/&id' --client-id \(Self.quoted)"
    #expect(account.options().description == options)
    #expect(CommandFailure.notSignedIn(account).advice == "Run `sallyport login \(options)`.")
    let ambiguous = SwitchChoice.ambiguous([account], of: [account])
    #expect(ambiguous.message.hasSuffix("\n  sallyport switch \(options)"), "\(ambiguous)")
    let choice = AccountChoice(resource: account.resource)
    let failure = choice.notSignedIn(nil, signedIn: [], .failed)
    #expect(failure.advice == "Run `sallyport login --resource 'https://api.example/$(id)'`.", "\(failure)")
    let atIssuer = AccountChoice(issuer: account.issuer, clientID: Self.hostile).notSignedIn(nil, signedIn: [], .failed)
    #expect(
      atIssuer.advice == "Run `sallyport login --issuer 'https://id.example/&id' --client-id \(Self.quoted)`.", "\(atIssuer)")
  }

  @Test("a value that begins with a hyphen is joined to its option with =, so it is not parsed as an option")
  func hyphen() throws {
    let words = ShellWords("sallyport", "login").adding("--client-id", "--browser=id")
    #expect(words.description == "sallyport login --client-id=--browser=id")
  }
}
