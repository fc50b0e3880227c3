import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("DPoP at an API, RFC 9449 §7", .timeLimit(.minutes(1)))
struct DPoPRequestTests {
  private let server: DPoPServer
  private var fixture: SignInFixture { self.server.fixture }
  private let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes?page=2")

  init() throws {
    self.server = try DPoPServer()
  }

  private func session() async throws -> Session {
    let person = try self.fixture.person()
    self.server.grantTokens(to: person)
    let session = try await self.server.client().signIn(scopes: [.openID, .offlineAccess], via: person, receiver: person)
    self.server.answerAtAPI(thumbprint: try #require(person.parameters["dpop_jkt"]))
    self.server.grantTokens()
    return session
  }

  @Test("RFC 9449 §7.1: the token goes with a proof of its own for each request, by the DPoP scheme")
  func proven() async throws {
    let session = try await self.session()
    for _ in 0..<2 { #expect(try await session.send(self.request).head.status == .ok) }
    #expect(self.server.refusals.isEmpty)
    #expect(Set(self.server.proofs.map(\.identifier)).count == 3)
  }

  @Test("RFC 9449 §9: an API that asks for a nonce is answered once, and knows it from then on")
  func nonce() async throws {
    let session = try await self.session()
    self.server.state.withLock { $0.apiNonce = "api-1" }
    #expect(try await session.send(self.request).head.status == .ok)
    #expect(self.server.refusals == [.nonceMissing])
    #expect(try await session.send(self.request).head.status == .ok)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 3)
    // The authorization server's nonces are its own.
    try await session.refresh()
    #expect(self.server.refusals == [.nonceMissing])
  }

  @Test("RFC 9449 §9: the API's nonces and a refused token in one request: each is answered once")
  func nonceAndRefresh() async throws {
    let session = try await self.session()
    self.server.state.withLock {
      $0.apiNonce = "api-1"
      $0.issued = 2
    }
    self.fixture.clock.advance(by: .seconds(60))
    #expect(try await session.send(self.request).head.status == .ok)
    let sent = self.fixture.transport.requests(to: DPoPServer.api).map { $0.head.headerFields[.authorization] ?? "" }
    #expect(sent == ["DPoP access-1", "DPoP access-3", "DPoP access-3"])
  }

  @Test("RFC 9449 §9: an API that is never content with a nonce gets two requests")
  func endless() async throws {
    let session = try await self.session()
    self.fixture.transport.on(DPoPServer.api) { .success(DPoPServer.challenge("use_dpop_nonce", nonce: "n-\($0.index)")) }
    #expect(try await session.send(self.request).head.status == .unauthorized)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 2)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("RFC 9449 §9: a nonce that is asked for and not given makes no second request")
  func withoutNonce() async throws {
    let session = try await self.session()
    self.fixture.transport.on(DPoPServer.api, respond: DPoPServer.challenge("use_dpop_nonce"))
    #expect(try await session.send(self.request).head.status == .unauthorized)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 1)
  }

  @Test("a proof that the app puts on a request by itself is replaced; an invalid proof is no reason to refresh")
  func ownHeader() async throws {
    let session = try await self.session()
    var request = self.request
    request.headerFields[.dpop] = "evil"
    request.headerFields[.authorization] = "Basic evil"
    #expect(try await session.send(request).head.status == .ok)
    self.fixture.transport.on(DPoPServer.api, respond: DPoPServer.challenge("invalid_dpop_proof"))
    self.fixture.clock.advance(by: .seconds(60))
    #expect(try await session.send(request).head.status == .unauthorized)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("RFC 9449 §7: userinfo is an API like any other")
  func userInfo() async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.userinfoURL) { request in
      let isProven = request.head.headerFields[.authorization] == "DPoP access-1" && request.head.headerFields[.dpop] != nil
      return .success(isProven ? .json(#"{"sub":"ada"}"#) : .text("", status: .forbidden))
    }
    #expect(try await session.userInfo().subject == "ada")
  }
}
