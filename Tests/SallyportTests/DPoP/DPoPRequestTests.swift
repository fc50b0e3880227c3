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

  private func session() async throws -> OAuthSession {
    let user = try self.fixture.browser()
    self.server.grantTokens(to: user)
    let session = try await self.server.client().signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
    self.server.respondAtAPI(thumbprint: try #require(user.parameters["dpop_jkt"]))
    self.server.grantTokens()
    return session
  }

  @Test("RFC 9449 §7.1: each request contains the token with the DPoP scheme and its own proof")
  func proven() async throws {
    let session = try await self.session()
    for _ in 0..<2 { #expect(try await session.send(self.request).head.status == .ok) }
    #expect(self.server.rejections.isEmpty)
    // The token request and each of the two requests to the API have their own proof.
    #expect(Set(self.server.proofs.map(\.identifier)).count == 3)
  }

  @Test("RFC 9449 §9: a request is repeated once with the nonce that the API asks for, and later requests contain the nonce")
  func nonce() async throws {
    let session = try await self.session()
    self.server.state.withLock { $0.apiNonce = "api-1" }
    #expect(try await session.send(self.request).head.status == .ok)
    #expect(self.server.rejections == [.nonceMissing])
    #expect(try await session.send(self.request).head.status == .ok)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 3)
    // The authorization server requires no nonce, so the proof of the refresh is not rejected.
    try await session.refresh()
    #expect(self.server.rejections == [.nonceMissing])
  }

  @Test("RFC 9449 §9: if the API rejects the token and then asks for a nonce, the request is repeated once for each reason")
  func nonceAndRefresh() async throws {
    let session = try await self.session()
    self.server.state.withLock {
      $0.apiNonce = "api-1"
      // As if access-2 had been issued elsewhere: the API now rejects access-1, and the refresh returns access-3.
      $0.issuedCount = 2
    }
    // A rejected token is refreshed only if it is more than ten seconds old.
    self.fixture.clock.advance(by: .seconds(60))
    #expect(try await session.send(self.request).head.status == .ok)
    let sentTokens = self.fixture.transport.requests(to: DPoPServer.api).map { $0.head.headerFields[.authorization] ?? "" }
    #expect(sentTokens == ["DPoP access-1", "DPoP access-3", "DPoP access-3"])
  }

  @Test("RFC 9449 §9: if the API asks for a new nonce every time, the request is repeated only once")
  func endless() async throws {
    let session = try await self.session()
    self.fixture.transport.on(DPoPServer.api) { .success(DPoPServer.challenge("use_dpop_nonce", nonce: "n-\($0.index)")) }
    #expect(try await session.send(self.request).head.status == .unauthorized)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 2)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("RFC 9449 §9: if the API asks for a nonce without providing one, the request is not repeated")
  func withoutNonce() async throws {
    let session = try await self.session()
    self.fixture.transport.on(DPoPServer.api, respond: DPoPServer.challenge("use_dpop_nonce"))
    #expect(try await session.send(self.request).head.status == .unauthorized)
    #expect(self.fixture.transport.requests(to: DPoPServer.api).count == 1)
  }

  @Test("a proof and a token that the app adds are replaced, and the error invalid_dpop_proof does not cause a refresh")
  func ownHeader() async throws {
    let session = try await self.session()
    var request = self.request
    request.headerFields[.dpop] = "evil"
    request.headerFields[.authorization] = "Basic evil"
    #expect(try await session.send(request).head.status == .ok)
    self.fixture.transport.on(DPoPServer.api, respond: DPoPServer.challenge("invalid_dpop_proof"))
    // With the error invalid_token, a token of this age would be refreshed.
    self.fixture.clock.advance(by: .seconds(60))
    #expect(try await session.send(request).head.status == .unauthorized)
    #expect(self.fixture.tokenRequests.count == 1)
  }

  @Test("RFC 9449 §7: a request to the UserInfo endpoint contains the token with the DPoP scheme and a proof")
  func userInfo() async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.userinfoURL) { request in
      let isProven = request.head.headerFields[.authorization] == "DPoP access-1" && request.head.headerFields[.dpop] != nil
      return .success(isProven ? .json(#"{"sub":"ada"}"#) : .text("", status: .forbidden))
    }
    #expect(try await session.userInfo().subject == "ada")
  }
}
