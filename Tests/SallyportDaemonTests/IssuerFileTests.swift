import Foundation
import SallyportProtocol
import Testing

@testable import SallyportDaemon

@Suite("The file with the issuer")
struct IssuerFileTests {
  @Test("the file keeps the first issuer, and returns it if the server has another issuer")
  func change() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = IssuerFile(path: path)
    let (first, second) = (try Issuer("https://id.example"), try Issuer("https://id.example/second"))
    #expect(file.formerIssuer(insteadOf: first) == nil)
    #expect(file.formerIssuer(insteadOf: first) == nil)
    #expect(file.formerIssuer(insteadOf: second) == "https://id.example")
    #expect(file.formerIssuer(insteadOf: second) == "https://id.example")
    #expect(file.formerIssuer(insteadOf: first) == nil)
  }
}
