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
    "a value of --for-resource that is no resource indicator is an error",
    arguments: [
      "notes", "https://api.example.com/#notes", "https://ada@api.example.com",
      "https://api.example.com/" + String(repeating: "a", count: 2_048),
    ])
  func invalid(resource: String) {
    #expect(throws: (any Error).self) { try TokenTargetOptions.parse(["--for-resource", resource]) }
  }

  @Test("without options, the target is the account's own token")
  func none() throws {
    #expect(try TokenTargetOptions.parse([]).target == nil)
  }
}
