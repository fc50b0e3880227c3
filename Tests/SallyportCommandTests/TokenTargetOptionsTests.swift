import ArgumentParser
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("The target of a token")
struct TokenTargetOptionsTests {
  @Test("every value of --for-resource that is a resource indicator becomes a resource of the target, in the same order")
  func resources() throws {
    let options = try TokenTargetOptions.parse([
      "--for-resource", "https://api.example.com", "--for-resource", "urn:example:files",
    ])
    #expect(
      try options.target?.resources == [ResourceIndicator("https://api.example.com"), ResourceIndicator("urn:example:files")])
  }

  @Test(
    "a value of --for-resource that is not a resource indicator is an error",
    arguments: [
      "notes", "https://api.example.com/#notes", "https://ada@api.example.com",
      "https://api.example.com/" + String(repeating: "a", count: 2_048),
    ])
  func invalid(resource: String) {
    #expect(throws: (any Error).self) { try TokenTargetOptions.parse(["--for-resource", resource]) }
  }

  @Test(
    "the options are rejected for providers that ignore them, and for providers where a new token replaces the account's own",
    arguments: [
      ("google", ["--for-resource", "https://api.example.com"], false), ("google", ["--scope", "email"], true),
      ("dropbox", ["--for-resource", "https://api.example.com"], false), ("github", ["--scope", "repo"], false),
      ("github", ["--for-resource", "https://api.example.com"], false), ("gitlab", ["--scope", "read_api"], false),
      ("microsoft", ["--scope", "Mail.Read"], true), ("github", [], true),
    ])
  func providers(name: String, arguments: [String], isAllowed: Bool) throws {
    let provider = try Provider(name)
    var account = Account(issuer: try provider.configuration(audience: nil).issuer, clientID: "app")
    account.server = .provider(provider)
    let options = try TokenTargetOptions.parse(arguments)
    if isAllowed {
      try options.check(account)
    } else {
      #expect(throws: ValidationError.self) { try options.check(account) }
    }
  }

  @Test("without options, there is no target, so the command uses the account's own token")
  func none() throws {
    #expect(try TokenTargetOptions.parse([]).target == nil)
  }
}
