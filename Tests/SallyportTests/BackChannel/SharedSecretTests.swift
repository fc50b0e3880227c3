#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import Synchronization
import TestSupport
import Testing

@Suite("A client secret that the server requires, RFC 8252 §8.5", .timeLimit(.minutes(1)))
struct SharedSecretTests {
  private func client(_ fixture: SignInFixture) -> OAuthClient {
    OAuthClient(
      issuer: fixture.server.issuer, clientID: "notes app", store: fixture.store, transport: fixture.transport,
      clientSecret: .insecureShared(Secret("s3cr:t+ ü")), now: fixture.clock.dates)
  }

  /// Signs in, and returns the session and the number of times that the sign-in reported that a shared secret is sent.
  private func signIn(_ fixture: SignInFixture) async throws -> (session: OAuthSession, reports: Int) {
    let reports = Mutex(0)
    let user = try fixture.browser()
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: "refresh-1"))
    var options = SignInOptions(scopes: ["notes"])
    options.progress = { if case .sendingSharedSecret = $0 { reports.withLock { $0 += 1 } } }
    let session = try await self.client(fixture).signIn(options, via: user, receiver: user)
    #expect(user.parameters["code_challenge_method"] == "S256")
    #expect(!(user.opened.last ?? "").contains("s3cr"))
    return (session, reports.withLock { $0 })
  }

  @Test(
    "C-20: a shared secret is sent in addition to PKCE, with client_secret_post if the server lists it and not client_secret_basic, and otherwise with client_secret_basic",
    arguments: [
      (nil, true), (["client_secret_basic", "client_secret_post"], true), (["client_secret_post"], false),
      (["none", "client_secret_post"], false), (["private_key_jwt"], true), ([], true),
    ] as [([String]?, Bool)])
  func methods(methods: [String]?, usesBasic: Bool) async throws {
    let fixture = try SignInFixture { $0.metadata.tokenEndpointAuthMethodsSupported = methods }
    let (session, reports) = try await self.signIn(fixture)
    #expect(reports == 1)
    try await session.refresh()
    fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    try await session.signOut()
    let requests = fixture.tokenRequests + fixture.transport.requests(to: SignInFixture.revokeURL)
    // The code exchange, the refresh, and the revocation of the access token and of the refresh token.
    #expect(requests.count == 4)
    // RFC 6749 §2.3.1: the client identifier and the secret are percent-encoded before they are joined with a colon.
    let expected = "Basic \(Data("notes%20app:s3cr%3At%2B%20%C3%BC".utf8).base64EncodedString())"
    for request in requests {
      #expect(request.head.headerFields[.authorization] == (usesBasic ? expected : nil))
      #expect(request.form?["client_secret"] == (usesBasic ? nil : "s3cr:t+ ü"))
      #expect(request.form?["client_id"] == (usesBasic ? nil : "notes app"))
    }
    #expect(fixture.tokenRequests[0].form?["code_verifier"] != nil)
    #expect(fixture.store.texts.allSatisfy { !$0.contains("s3cr") })
  }

  @Test("if the server's error description contains the secret, the SDK's error does not contain it")
  func noEcho() async throws {
    let fixture = try SignInFixture()
    let user = try fixture.browser()
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", description: "not s3cr:t+ ü"))
    await #expect(throws: SignInError.refused(OAuthErrorResponse(error: "invalid_client", description: "not <redacted>"))) {
      try await self.client(fixture).signIn(scopes: ["notes"], via: user, receiver: user)
    }
  }

  @Test("C-20: if the app has no client secret, the client doesn't authenticate, and nothing is reported")
  func none() async throws {
    let fixture = try SignInFixture { $0.metadata.tokenEndpointAuthMethodsSupported = ["client_secret_basic"] }
    let user = try fixture.browser()
    fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-1", refresh: nil))
    var options = SignInOptions(scopes: ["notes"])
    options.progress = { if case .sendingSharedSecret = $0 { Issue.record("reported a secret, although there is none") } }
    _ = try await fixture.client().signIn(options, via: user, receiver: user)
    #expect(fixture.tokenRequests[0].head.headerFields[.authorization] == nil)
    #expect(fixture.tokenRequests[0].form?["client_id"] == "notes")
  }
}
