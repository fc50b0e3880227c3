import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("The age of clients with metadata documents")
struct ClientDocumentAgeTests {
  @Test(
    "a client whose document is fetched again keeps its creation time, which shows whether it has obtained a grant since then")
  func keepsCreationTime() async throws {
    let (fixture, transport) = (try await TestServer(), FakeTransport())
    let id = ClientID(rawValue: "https://editor.example/client.json")
    let document: JSONValue = [
      "client_id": .string(id.rawValue), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"],
    ]
    transport.on(id.rawValue, respond: .json(encoding: document))
    let cache = ConfigurationCache(
      store: fixture.store, masterKey: fixture.masterKey, lifetimes: Lifetimes(), now: fixture.clock.source)
    let documents = ClientDocuments(
      store: fixture.store, cache: cache, policy: fixture.server.configuration.registration,
      transports: OutboundTransports(operators: nil, dynamicClients: transport), now: fixture.clock.source)
    let address = ClientAddress("192.0.2.1", bytes: [192, 0, 2, 1])
    let first = try #require(try await documents.client(id, for: address))
    fixture.clock.advance(by: .seconds(7200))
    let second = try #require(try await documents.client(id, for: address))
    #expect(transport.requests(to: id.rawValue).count == 2)
    #expect(second.createdAt == first.createdAt && second.details.documentFetchedAt != first.details.documentFetchedAt)
  }
}
