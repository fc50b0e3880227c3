import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("DPoP policy", .timeLimit(.minutes(1)))
struct DPoPPolicyTests {
  private let server: DPoPServer
  private var fixture: SignInFixture { self.server.fixture }

  init() throws {
    self.server = try DPoPServer()
  }

  @Test("by default, tokens are bearer tokens, even if the server offers DPoP, so that the app can pass them on")
  func bearerByDefault() async throws {
    let user = try self.fixture.browser()
    self.fixture.grantTokens(to: user)
    let session = try await self.fixture.client().signIn(scopes: [.openID], via: user, receiver: user)
    #expect(await !session.isSenderConstrained)
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(self.fixture.tokenRequests.allSatisfy { $0.head.headerFields[.dpop] == nil })
  }

  @Test(
    "RFC 9449 §7: accessToken() throws an error for a DPoP-bound token, and the error says what to call instead",
    arguments: [0, 700])  // The token is valid for 600 seconds.
  func bareToken(after seconds: Int) async throws {
    let user = try self.fixture.browser()
    self.server.grantTokens(to: user)
    let session = try await self.server.client().signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    self.fixture.clock.advance(by: .seconds(seconds))
    await #expect(throws: SessionError.boundToKey) { try await session.accessToken() }
    #expect(SessionError.boundToKey.explanation.advice.contains("send(_:)"))
    // The client doesn't send a refresh request for a token that the app cannot receive.
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("ResourceClient follows the DPoP policy in the same way as OAuthClient")
  func resourceClient() async throws {
    let app = AppIdentity(metadata: ClientMetadata(native: "Notes"), clientID: { _ in "notes" })
    for (policy, isBound) in [(DPoPPolicy.never, false), (.preferred, true), (.required, true)] {
      let user = try self.fixture.browser()
      self.fixture.transport.on(
        "https://api.example/meta",
        respond: .json(#"{"resource":"https://api.example/notes","authorization_servers":["https://id.example"]}"#))
      self.fixture.transport.on(
        DPoPServer.api,
        respond: .body(
          [], type: nil, status: .unauthorized,
          headers: [.wwwAuthenticate: #"Bearer resource_metadata="https://api.example/meta""#]))
      self.server.grantTokens(type: isBound ? "DPoP" : "Bearer")
      // `DPoPServer` issues tokens only for a request with a proof, so this response replaces that of `DPoPServer`.
      if !isBound { self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil)) }
      let api = ResourceClient(
        try EndpointURL(DPoPServer.api), app: app, store: self.fixture.store, transport: self.fixture.transport, dpop: policy,
        now: self.fixture.clock.dates)
      let session = try await api.signIn(
        SignInOptions(scopes: ["notes"]), redirects: [.loopback(via: user, receiver: user)])
      #expect(await session.isSenderConstrained == isBound)
    }
  }
}
