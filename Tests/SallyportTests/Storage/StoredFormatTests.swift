import Foundation
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

/// Opens the values of ``StoredValues``, which every release must be able to read.
@Suite("Version 1 of the stored formats", .timeLimit(.minutes(1)))
struct StoredFormatTests {
  private struct Entry: Decodable {
    var kind: String
    var issuer: String
    var clientID: String
    var account: String?
    var value: String
  }

  /// Returns a store with the entries of a text, which contains one JSON object per line.
  private static func store(_ lines: String) async throws -> MemoryTokenStore {
    let store = MemoryTokenStore()
    for line in lines.split(separator: "\n") {
      let entry = try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
      let key = TokenStoreKey(kind: entry.kind, issuer: entry.issuer, clientID: entry.clientID, account: entry.account)
      try await store.save(Secret(Array(entry.value.utf8)), for: key)
    }
    return store
  }

  @Test("a stored session opens with its claims, resources, and key, and is refreshed with the stored refresh token")
  func session() async throws {
    let server = try DPoPServer()
    let store = try await Self.store(StoredValues.account)
    let client = OAuthClient(
      issuer: server.fixture.server.issuer, clientID: "notes", store: store, transport: server.fixture.transport,
      account: "work", dpop: .required, now: server.fixture.clock.dates)
    #expect(try await store.storedSessions().map(\.account) == ["work"])
    let session = try #require(try await client.restoreSession())
    #expect(try await session.anyAccessToken().reveal() == "access-1")
    #expect(await session.scope == [.openID, .offlineAccess, "notes:read"])
    #expect(await session.claims?.subject == "ada")
    #expect(await session.resources.map(\.value) == ["https://api.example/notes"])
    #expect(await session.expiration == Date(timeIntervalSince1970: 1_800_000_600))
    #expect(await session.isSenderConstrained)
    server.grantTokens()
    try await session.refresh()
    #expect(server.fixture.tokenRequests.compactMap { $0.form?["refresh_token"] } == ["refresh-1"])
    #expect(server.proofs.count == 1)
  }

  @Test("stored tokens for other targets, and additional members of a token response, are found without network access")
  func targets() async throws {
    let fixture = try SignInFixture()
    let client = try fixture.client(store: try await Self.store(StoredValues.targets))
    let session = try #require(try await client.restoreSession())
    let billing = TokenTarget(resources: [try ResourceIndicator("https://billing.example/")])
    let mail = TokenTarget(scope: ["read", "mail"], parameters: try AdditionalParameters(["audience": "mail"]))
    #expect(try await session.accessToken(for: billing).value.reveal() == "billing-1")
    #expect(try await session.accessToken(for: billing).scope == ["invoices"])
    let mailToken = try await session.anyAccessToken(for: mail)
    #expect(mailToken.value.reveal() == "mail-1" && mailToken.type == .dpop)
    #expect(await session.additionalMembers.reveal() == ["instance_url": "https://eu.example"])
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test("a stored sign-in in progress is resumed with its verifier and its max_age")
  func signIn() async throws {
    let fixture = try SignInFixture()
    let store = try await Self.store(StoredValues.pending)
    let client = try fixture.client(store: store)
    #expect(try await client.restoreSession()?.accessToken().reveal() == "access-1")
    // The nonce, the state, and the code verifier of the stored sign-in.
    fixture.grantTokens(nonce: "qRqRu3fWLtOTSiWGaPLAE5xPaBGc0p2qhj8P_bBOwus", access: "access-2")
    let callback = "com.example.app:/oauth2redirect/id.example?code=code-1"
    let state = "VsAHcRYyhEcURvQ2AA-HDBdOy9YaKUFtFQbQhwyMD8E"
    let url = try #require(URL(string: "\(callback)&state=\(state)&iss=https%3A%2F%2Fid.example"))
    // The stored request has a max_age of 300 seconds, so the ID token must contain auth_time. This ID token doesn't.
    await #expect(throws: SignInError.idToken(.authenticationTimeMissing)) { try await client.resume(from: url) }
    #expect(
      fixture.tokenRequests.last?.form?["code_verifier"] == "MaO-tKshJSrVNgxMZjV2SCXSF4sm2iGtfOUf9QG1hwI")
  }

  @Test("a stored registration and the session of an API are found without network access")
  func resource() async throws {
    let registrar = try FakeRegistrar()
    let store = try await Self.store(StoredValues.resource)
    let api = ResourceClient(
      try EndpointURL("https://api.example/mcp"), app: AppIdentity(metadata: ClientMetadata(native: "Notes")),
      store: store, transport: registrar.fixture.transport, now: registrar.fixture.clock.dates)
    let session = try #require(try await api.restoreSession())
    #expect(session.clientID == "client-1")
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(registrar.fixture.transport.requests.isEmpty)
  }
}
