import ArgumentParser
import Foundation
import SallyportProtocol
import Testing

@testable import SallyportCommand

@Suite("The file with the client secret")
struct ClientSecretFileTests {
  private func read(_ content: String) throws -> String {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try content.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return try SecretFile.readClientSecret(file).reveal()
  }

  @Test(
    "the file contains the secret alone, or is the file that Google offers for a desktop app",
    arguments: [
      "GOCSPX-hush\n", #"{"installed":{"client_id":"app","client_secret":"GOCSPX-hush"}}"#,
      "\n {\"installed\": {\"client_secret\": \"GOCSPX-hush\"}}\n",
    ])
  func secret(content: String) throws {
    #expect(try self.read(content) == "GOCSPX-hush")
  }

  @Test(
    "other or invalid JSON is rejected with the name of the required member, and without the secret",
    arguments: [#"{"web":{"client_secret":"hush"}}"#, #"{"client_secret":"hush"}"#, "{hush"])
  func otherJSON(content: String) throws {
    let error = #expect(throws: ValidationError.self) { try self.read(content) }
    #expect(error?.message.contains("installed.client_secret") == true, "\(error as Any)")
    #expect(error?.message.contains("hush") == false, "\(error as Any)")
  }

  @Test("the error for a file that is too long names the file and the limit")
  func tooLong() throws {
    let error = #expect(throws: ValidationError.self) { try self.read(String(repeating: "a", count: 9_000)) }
    #expect(error?.message.contains("8192") == true && error?.message.contains("/") == true, "\(error as Any)")
  }
}
