import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("DPoP at the authorization server, RFC 9449", .timeLimit(.minutes(1)))
struct DPoPSignInTests {
  private let server: DPoPServer
  private var fixture: SignInFixture { self.server.fixture }

  init() throws {
    self.server = try DPoPServer()
  }

  private func signIn(_ client: OAuthClient, type: String = "DPoP") async throws -> OAuthSession {
    let user = try self.fixture.browser()
    self.server.grantTokens(to: user, type: type)
    return try await client.signIn(scopes: [.openID, .offlineAccess], via: user, receiver: user)
  }

  @Test("RFC 9449 §5 and §10: each sign-in creates a key that signs its proofs, and to which its code and tokens are bound")
  func bound() async throws {
    let user = try self.fixture.browser()
    self.server.grantTokens(to: user)
    let session = try await self.server.client().signIn(scopes: [.openID], via: user, receiver: user)
    #expect(await session.isSenderConstrained)
    let first = try #require(self.server.proofs.first)
    #expect(user.parameters["dpop_jkt"] == first.key.thumbprint)
    _ = try await self.signIn(self.server.client())
    #expect(self.server.proofs.count == 2)
    #expect(self.server.proofs[1].key != first.key)
  }

  @Test("RFC 9449 §5: in a restored session, the proof of a refresh is signed with the key that the tokens are bound to")
  func refresh() async throws {
    _ = try await self.signIn(self.server.client())
    let restored = try #require(try await self.server.client().restoreSession())
    self.server.grantTokens()
    try await restored.refresh()
    #expect(await restored.isSenderConstrained)
    #expect(self.server.proofs.count == 2)
    #expect(self.server.proofs[0].key == self.server.proofs[1].key)
    #expect(self.server.proofs[0].identifier != self.server.proofs[1].identifier)
  }

  @Test("RFC 9449 §8: the request is repeated with the nonce that the server asks for, and later requests contain the nonce")
  func nonce() async throws {
    self.server.state.withLock { $0.nonce = "nonce-1" }
    let session = try await self.signIn(self.server.client())
    #expect(self.server.rejections == [.nonceMissing])
    #expect(self.fixture.tokenRequests.count == 2)
    #expect(Set(self.fixture.tokenRequests.compactMap { $0.form?["code"] }) == ["code-1"])
    self.server.grantTokens()
    try await session.refresh()
    #expect(self.fixture.tokenRequests.count == 3)
    self.server.state.withLock { $0.nonce = "nonce-2" }
    try await session.refresh()
    #expect(self.server.rejections == [.nonceMissing, .nonceMismatch])
    #expect(self.fixture.tokenRequests.count == 5)
  }

  @Test("RFC 9449 §8.2: a nonce in a successful response is used for the next proof")
  func nonceAhead() async throws {
    let session = try await self.signIn(self.server.client())
    self.fixture.transport.on(SignInFixture.tokenURL) { _ in
      var response = TransportResponse.json(#"{"access_token":"a","token_type":"DPoP","expires_in":600}"#)
      response.head.headerFields[.dpopNonce] = "nonce-3"
      return .success(response)
    }
    try await session.refresh()
    self.server.state.withLock { $0.nonce = "nonce-3" }
    self.server.grantTokens()
    try await session.refresh()
    #expect(self.server.rejections.isEmpty)
  }

  // The argument "nonce" stands for a new nonce in each response.
  @Test(
    "RFC 9449 §8: if the server asks for a new nonce every time, the request is repeated only once; if the nonce is invalid, the request is not repeated",
    arguments: ["nonce", "", "a b", "\"", String(repeating: "n", count: 600)])
  func endless(nonce: String) async throws {
    let user = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL) { request in
      var response = SignInFixture.error("use_dpop_nonce")
      response.head.headerFields[.dpopNonce] = nonce == "nonce" ? "nonce-\(request.index)" : nonce
      return .success(response)
    }
    await #expect(throws: SignInError.refused(OAuthErrorResponse(error: "use_dpop_nonce", description: nil))) {
      try await self.server.client().signIn(scopes: [.openID], via: user, receiver: user)
    }
    #expect(self.fixture.tokenRequests.count == (nonce == "nonce" ? 2 : 1))
  }

  @Test(
    "RFC 9449 §5.1: DPoP is used if the server offers it with ES256 and the app allows it; if it is required and not offered, the sign-in fails",
    arguments: [nil, [], ["RS256"], ["ES256"], ["PS256", "ES256"]] as [[String]?], DPoPPolicy.allCases)
  func offered(algorithms: [String]?, policy: DPoPPolicy) async throws {
    let server = try DPoPServer { $0.metadata.dpopSigningAlgValuesSupported = algorithms }
    let isOffered = algorithms?.contains("ES256") ?? false
    let user = try server.fixture.browser()
    if isOffered, policy != .never { server.grantTokens(to: user) } else { server.fixture.grantTokens(to: user) }
    let client = try server.client(policy)
    if policy == .required, !isOffered {
      await #expect(throws: SignInError.dpopNotOffered) {
        try await client.signIn(scopes: [.openID], via: user, receiver: user)
      }
      #expect(user.opened.isEmpty)
      return
    }
    let session = try await client.signIn(scopes: [.openID], via: user, receiver: user)
    #expect(await session.isSenderConstrained == (isOffered && policy != .never))
    #expect((user.parameters["dpop_jkt"] != nil) == (isOffered && policy != .never))
  }

  @Test("RFC 9449 §5: a bearer token in response to a proof is accepted, unless the app requires DPoP")
  func downgrade() async throws {
    let session = try await self.signIn(self.server.client(), type: "Bearer")
    #expect(await !session.isSenderConstrained)
    self.fixture.transport.on(DPoPServer.api, respond: .json("[]"))
    _ = try await session.send(HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes"))
    let apiRequest = try #require(self.fixture.transport.requests(to: DPoPServer.api).first)
    #expect(apiRequest.head.headerFields[.authorization] == "Bearer access-1")
    #expect(apiRequest.head.headerFields[.dpop] == nil)
    try await session.signOut()
    await #expect(throws: SignInError.tokenResponse(.tokenNotBound)) {
      try await self.signIn(self.server.client(.required), type: "Bearer")
    }
    #expect(try await self.server.client().restoreSession() == nil)
  }

  @Test("RFC 9449 §5: if DPoP is required, a refresh that returns a bearer token fails, and the session continues")
  func downgradedRefresh() async throws {
    let session = try await self.signIn(self.server.client(.required))
    self.server.grantTokens(type: "Bearer")
    await #expect(throws: SessionError.tokenResponse(.tokenNotBound)) { try await session.refresh() }
    #expect(try await session.anyAccessToken().reveal() == "access-1")
  }

  @Test("RFC 6749 §7.1: a DPoP token is rejected if the request had no proof")
  func unasked() async throws {
    let user = try self.fixture.browser()
    self.fixture.transport.on(
      SignInFixture.tokenURL, respond: .json(#"{"access_token":"a","token_type":"DPoP","expires_in":600}"#))
    await #expect(throws: SignInError.tokenResponse(.tokenTypeNotSupported)) {
      try await self.server.client(.never).signIn(scopes: ["notes"], via: user, receiver: user)
    }
  }

  @Test(
    "C-22: if the stored DPoP key cannot be restored, the user must sign in again; if no new key can be created, the sign-in fails"
  )
  func keyLost() async throws {
    struct LostKeys: DPoPKeySource {
      func makeKey() throws(DPoPKeyError) -> any DPoPKey { throw .unavailable(reason: "locked") }
      func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey { throw .damaged }
    }
    _ = try await self.signIn(self.server.client())
    let session = try #require(try await self.server.client(keys: LostKeys()).restoreSession())
    await #expect(throws: SessionError.signInRequired(.keyLost)) {
      try await session.send(HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes"))
    }
    await #expect(throws: SessionError.signInRequired(.keyLost)) { try await session.refresh() }
    // Another process may still be able to use the key.
    #expect(try await self.server.client().restoreSession() != nil)
    let user = try self.fixture.browser()
    await #expect(throws: SignInError.dpopKey(.unavailable(reason: "locked"))) {
      try await self.server.client(keys: LostKeys()).signIn(scopes: [.openID], via: user, receiver: user)
    }
    #expect(user.opened.isEmpty)
  }

  @Test(
    "if the key of a session cannot be restored, the session ends and reports why, and stays ended when the key is available again"
  )
  func endsWithItsKey() async throws {
    let keys = LosableKeys()
    _ = try await self.signIn(self.server.client(keys: keys))
    let session = try #require(try await self.server.client(keys: keys).restoreSession())
    let events = await session.events
    keys.areLost.withLock { $0 = true }
    let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")
    await #expect(throws: SessionError.signInRequired(.keyLost)) { try await session.send(request) }
    keys.areLost.withLock { $0 = false }
    await #expect(throws: SessionError.signInRequired(.keyLost)) { try await session.send(request) }
    await #expect(throws: SessionError.signInRequired(.keyLost)) { try await session.accessToken() }
    // If the session had not ended, this refresh would be the first event.
    self.server.grantTokens()
    try? await session.refresh()
    var received: [SessionEvent] = []
    for await event in events {
      received.append(event)
      if received.count == 1 { break }
    }
    #expect(received == [.ended(.keyLost)])
    #expect(self.fixture.transport.requests(to: DPoPServer.api).isEmpty)
  }

  @Test("if the key cannot be restored, no refresh request is sent, so no lost response is recorded")
  func noRequest() async throws {
    let keys = LosableKeys()
    _ = try await self.signIn(self.server.client())
    let session = try #require(try await self.server.client(keys: keys).restoreSession())
    keys.areLost.withLock { $0 = true }
    await #expect(throws: SessionError.signInRequired(.keyLost)) { try await session.refresh() }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    self.fixture.clock.advance(by: .seconds(3600))
    let other = try #require(try await self.server.client().restoreSession())
    // If a lost response had been recorded, the error would be `refusedAfterLostResponse`.
    let errorResponse = OAuthErrorResponse(error: "invalid_grant", description: nil)
    await #expect(throws: SessionError.signInRequired(.refused(errorResponse))) { try await other.refresh() }
  }

  /// A key source that can lose its keys.
  private final class LosableKeys: DPoPKeySource {
    let areLost = Mutex(false)

    func makeKey() throws(DPoPKeyError) -> any DPoPKey { try SoftwareDPoPKeys().makeKey() }
    func restoreKey(_ storedForm: Secret<[UInt8]>) throws(DPoPKeyError) -> any DPoPKey {
      if self.areLost.withLock({ $0 }) { throw .damaged }
      return try SoftwareDPoPKeys().restoreKey(storedForm)
    }
  }

  @Test("RFC 9449 §5: the tokens of a sign-in on another device are bound to a key")
  func otherDevice() async throws {
    let server = try DPoPServer { $0.metadata.deviceAuthorizationEndpoint = DeviceFixture.deviceURL }
    server.fixture.transport.on(DeviceFixture.deviceURL, respond: .json(encoding: DeviceFixture.response))
    server.grantTokens()
    let options = SignInOptions(scopes: ["notes"], timeout: .seconds(60))
    let session = try await server.client(.required).signInOnAnotherDevice(options, sleep: { _ in }, show: { _ in })
    #expect(await session.isSenderConstrained)
    #expect(server.proofs.count == 1)
  }
}
