import Crypto
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport
import Testing

@Suite("A client secret that is provided or signed when a request needs it", .timeLimit(.minutes(1)))
struct ClientSecretTests {
  private let fixture: SignInFixture
  private let calls = Counter()

  init() throws {
    self.fixture = try SignInFixture { $0.metadata.tokenEndpointAuthMethodsSupported = ["client_secret_post"] }
  }

  private func client(_ secret: ClientSecret) -> OAuthClient {
    OAuthClient(
      issuer: self.fixture.server.issuer, clientID: "notes", store: self.fixture.store, transport: self.fixture.transport,
      clientSecret: secret, now: self.fixture.clock.dates)
  }

  /// Signs in, and checks that no URL contains the secret.
  /// - Parameter expectsReport: Whether the progress of the sign-in must report that a shared secret is sent.
  private func signIn(_ secret: ClientSecret, expectsReport: Bool = false) async throws -> OAuthSession {
    let user = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1"))
    let isReported = Mutex(false)
    var options = SignInOptions(scopes: ["notes"])
    options.progress = { if case .sendingSharedSecret = $0 { isReported.withLock { $0 = true } } }
    let session = try await self.client(secret).signIn(options, via: user, receiver: user)
    #expect(isReported.withLock(\.self) == expectsReport)
    #expect(user.opened.allSatisfy { !$0.contains("client_secret") })
    return session
  }

  /// The client secrets of all token requests.
  private var sentSecrets: [String?] { self.fixture.tokenRequests.map { $0.form?["client_secret"] } }

  /// Returns a JWT with a number as its key ID and without a valid signature.
  private static func jwt(_ number: Int, claims: String) -> Secret<String> {
    Secret("\(Base64URL.encode(#"{"alg":"ES256","kid":"\#(number)"}"#.utf8)).\(Base64URL.encode(claims.utf8)).AA")
  }

  @Test("if the secret has no expiration, the app is asked for it before each token request")
  func opaque() async throws {
    let session = try await self.signIn(
      .provided { Secret("secret-\(self.calls.increment())") })
    try await session.refresh()
    #expect(self.sentSecrets == ["secret-1", "secret-2"])
  }

  @Test("a signed secret is used until one minute before it expires, and then the app is asked for a new one")
  func expiration() async throws {
    let clock = self.fixture.clock
    let session = try await self.signIn(
      .provided {
        let number = self.calls.increment()
        return Self.jwt(number, claims: #"{"exp":\#(clock.now.seconds + 300)}"#)
      })
    clock.advance(by: .seconds(239))
    try await session.refresh()
    #expect(Set(self.sentSecrets).count == 1)
    clock.advance(by: .seconds(1))
    try await session.refresh()
    #expect(self.sentSecrets.count == 3 && self.sentSecrets[2] != self.sentSecrets[0])
    #expect(self.calls.value == 2)
  }

  @Test("if several requests need the secret at the same time, the app is asked for it once")
  func concurrent() async throws {
    let gate = Gate()
    let source = ClientSecret.provided {
      _ = self.calls.increment()
      await gate.wait()
      return Self.jwt(1, claims: #"{"exp":9999999999}"#)
    }
    let client = self.client(source)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1"))
    let users = try [self.fixture.browser(), self.fixture.browser()]
    async let first = client.signIn(scopes: ["notes"], via: users[0], receiver: users[0])
    async let second = client.signIn(scopes: ["notes"], via: users[1], receiver: users[1])
    await users[0].opening.wait()
    await users[1].opening.wait()
    gate.open()
    _ = try await (first, second)
    #expect(self.calls.value == 1)
  }

  @Test("a signed secret that the server rejects is not used again")
  func rejected() async throws {
    let secret = ClientSecret.provided {
      let number = self.calls.increment()
      return Self.jwt(number, claims: #"{"exp":9999999999}"#)
    }
    let session = try await self.signIn(secret)
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", status: .unauthorized))
    await #expect(throws: SessionError.refused(OAuthErrorResponse(error: "invalid_client", description: nil))) {
      try await session.refresh()
    }
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    try await session.refresh()
    #expect(self.sentSecrets[0] == self.sentSecrets[1] && self.sentSecrets[1] != self.sentSecrets[2])
  }

  @Test(
    "if the app throws an error instead of providing a secret, no token request is sent, and the SDK's error contains only the type of the app's error"
  )
  func missing() async throws {
    /// An error whose description contains a secret.
    struct Leak: Error, CustomStringConvertible {
      var description: String { "hush" }
    }
    let user = try self.fixture.browser()
    let error = await #expect(throws: SignInError.clientSecret(.notProvided(reason: "Leak"))) {
      try await self.client(.provided { throw Leak() }).signIn(scopes: ["notes"], via: user, receiver: user)
    }
    #expect(error.map { "\($0)" }?.contains("hush") == false)
    #expect(self.fixture.tokenRequests.isEmpty)

    let fails = Mutex(false)
    let session = try await self.signIn(.provided { if fails.withLock(\.self) { throw Leak() } else { Secret("hush") } })
    fails.withLock { $0 = true }
    await #expect(throws: SessionError.clientSecret(.notProvided(reason: "Leak"))) { try await session.refresh() }
    fails.withLock { $0 = false }
    try await session.refresh()
    #expect(self.sentSecrets == ["hush", "hush"])
  }

  @Test(
    "a refresh that is not sent, because the app provides no secret, does not count as a request whose response was lost")
  func notSent() async throws {
    struct Missing: Error {}
    let fails = Mutex(false)
    let session = try await self.signIn(.provided { if fails.withLock(\.self) { throw Missing() } else { Secret("hush") } })
    fails.withLock { $0 = true }
    await #expect(throws: SessionError.clientSecret(.notProvided(reason: "Missing"))) { try await session.refresh() }
    fails.withLock { $0 = false }
    self.fixture.clock.advance(by: .seconds(600))
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let errorResponse = OAuthErrorResponse(error: "invalid_grant", description: nil)
    // If a lost response had been recorded, the error would be `refusedAfterLostResponse`.
    await #expect(throws: SessionError.signInRequired(.refused(errorResponse))) { try await session.refresh() }
  }

  @Test("if the server's error description contains the provided secret, the SDK's error does not contain it")
  func noEcho() async throws {
    let user = try self.fixture.browser()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", description: "not hush-1"))
    await #expect(throws: SignInError.refused(OAuthErrorResponse(error: "invalid_client", description: "not <redacted>"))) {
      try await self.client(.provided { Secret("hush-1") }).signIn(scopes: ["notes"], via: user, receiver: user)
    }
  }

  @Test(
    "the app's key signs a secret with the claims that Apple requires for each request, and the progress reports that a shared secret is sent"
  )
  func signed() async throws {
    let key = P256.Signing.PrivateKey()
    let session = try await self.signIn(
      .insecureSignedJWT(privateKey: Secret(key.pemRepresentation), keyID: "KEY1", issuer: "TEAM1"), expectsReport: true)
    try await session.refresh()
    #expect(self.sentSecrets.count == 2 && self.sentSecrets[0] != self.sentSecrets[1])
    let jws = try JWSCompact(#require(self.sentSecrets[0]))
    #expect(jws.header.algorithm == "ES256" && jws.header.keyID == "KEY1")
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
    #expect(key.publicKey.isValidSignature(signature, for: jws.signingInput))
    let claims = try #require(JSONValue.members(of: jws.payload))
    let now = self.fixture.clock.now.seconds
    #expect(claims["iss"] == "TEAM1" && claims["sub"] == "notes" && claims["aud"] == .string(SignInFixture.issuer))
    #expect(claims["iat"] == .integer(now) && claims["exp"] == .integer(now + 300))
  }

  @Test(
    "a key that is not a P-256 private key in PEM is rejected",
    arguments: ["", "hush", P256.Signing.PrivateKey().publicKey.pemRepresentation])
  func malformedKey(pem: String) {
    let error = #expect(throws: ClientSecretError.keyMalformed) {
      try ClientSecret.insecureSignedJWT(privateKey: Secret(pem), keyID: "KEY1", issuer: "TEAM1")
    }
    #expect(error.map { "\($0.explanation)" }?.contains("hush") == false)
  }
}
