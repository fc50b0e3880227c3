import ArgumentParser
import Foundation
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("sallyportd client import")
struct ClientImportTests {
  @Test("an import cannot replace a dynamic client that has the same client ID")
  func selfRegisteredClient() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let directory = try DataDirectory(path: "\(folder.path)/data")
    let client = ClientRecord(
      id: ClientID(rawValue: "notes"), name: "Notes", type: .public, applicationType: .native, origin: .dynamic,
      redirectURIs: [try RedirectURI("http://127.0.0.1/cb")], scope: "openid", createdAt: .now())
    try await directory.store.write { (tx) throws(StoreError) in try tx.insert(client) }
    let file = try folder.write(
      #"[{"client_id": "notes", "client_name": "Bank", "redirect_uris": ["https://bank.example/cb"]}]"#, to: "clients.json")
    let command = try ClientCommand.ImportCommand.parse([file, "--data", "\(folder.path)/data"])
    let failure = await #expect(throws: Failure.self) { try await command.run() }
    #expect(failure?.message.contains("a client that was not added by an operator has this client ID") == true)
    let kept = try await directory.store.read { (tx) throws(StoreError) in try tx.client(client.id) }
    #expect(kept?.name == "Notes" && kept?.origin == .dynamic && kept?.redirectURIs == client.redirectURIs)
  }

  @Test(
    "application_type is reported if it is invalid, or if valid redirect URIs do not imply it",
    arguments: [
      (#""redirect_uris": ["ftp://a.example/cb"]"#, false),
      (#""redirect_uris": ["https://a.example/cb", "http://127.0.0.1/cb"]"#, true),
      (#""redirect_uris": ["https://a.example/cb"], "application_type": "desktop""#, true),
      (#""redirect_uris": ["https://a.example/cb"]"#, false),
    ])
  func applicationTypes(members: String, isTypeReported: Bool) throws {
    let file = try JSONDecoder().decode(ClientFile.self, from: Data(#"[{"client_id": "a", \#(members)}]"#.utf8))
    let problems = try #require(file.elements.first).entry.get().problems()
    #expect(problems.contains { $0.hasPrefix("application_type:") } == isTypeReported)
  }
}
