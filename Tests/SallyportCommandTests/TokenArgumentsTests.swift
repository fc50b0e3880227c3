import ArgumentParser
import Sallyport
import SallyportProtocol
import Testing

@testable import SallyportCommand

/// `TokenArguments` reads the usual arguments itself, because the argument parser is slow.
@Suite("The arguments of `sallyport token`")
struct TokenArgumentsTests {
  @Test(
    "the usual arguments have the same meaning with and without the argument parser",
    arguments: [
      ["token"], ["token", "--refresh"], ["token", "--json"], ["token", "--json", "--refresh"],
      ["token", "--issuer", "https://id.example", "--client-id", "notes"],
      ["token", "--client-id=a=b", "--issuer=https://id.example/"], ["token", "--profile", "work", "--output", "kubectl"],
      ["token", "--resource", "https://api.example/a", "--output=text"],
    ])
  func same(words: [String]) throws {
    let quick = try #require(TokenArguments(words))
    let parsed = try #require(try RootCommand.parseAsRoot(words) as? TokenCommand)
    #expect(quick.choice == parsed.options.choice && quick.isRefresh == parsed.refresh)
    #expect((quick.format ?? .text) == parsed.output ?? (parsed.json ? .json : .text))
  }

  @Test(
    "unusual and invalid arguments are left to the argument parser",
    arguments: [
      [], ["whoami"], ["token", "--help"], ["token", "--profil", "work"], ["token", "--profile"], ["token", "--profile", ""],
      ["token", "--profile", "--json"], ["token", "--issuer", "id.example"], ["token", "--json", "--output", "text"],
      ["token", "--profile", "a", "--profile", "b"], ["token", "--client-id="], ["token", "x"], ["token", "--"],
      ["token", "--refresh=yes"], ["token", "--refresh", "--refresh"], ["token", "--output", "xml"],
      ["token", "--scope", "a"], ["token", "--for-resource", "https://api.example/"],
    ])
  func unusual(words: [String]) {
    #expect(TokenArguments(words) == nil)
  }

  @Test("--scope and --for-resource choose another token, and cannot be combined with --refresh or an ID token")
  func target() throws {
    let words = ["token", "--scope", "a b", "--for-resource", "https://api.example/", "--for-resource", "https://b.example/"]
    let parsed = try #require(try RootCommand.parseAsRoot(words) as? TokenCommand)
    #expect(parsed.target.target?.scope == ["a", "b"])
    #expect(parsed.target.target?.resources.map(\.value) == ["https://api.example/", "https://b.example/"])
    #expect(parsed.options.choice.isEmpty)
    for other in [["--refresh"], ["--output", "id-token"], ["--output", "kubectl-id-token"]] {
      #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["token", "--scope", "a"] + other) }
    }
  }
}
