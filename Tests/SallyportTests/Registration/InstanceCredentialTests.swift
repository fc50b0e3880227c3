#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Crypto
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Client credentials of an app's instance", .timeLimit(.minutes(1)))
struct InstanceCredentialTests {
  private struct Claims: Decodable {
    var iss: String
    var sub: String
    var aud: String
    var jti: String
    var iat: Int64
    var exp: Int64
  }

  private func signIn(_ server: FakeRegistrar) async throws -> OAuthSession {
    let user = try server.fixture.browser()
    server.fixture.transport.on(SignInFixture.tokenURL) { _ in .success(SignInFixture.tokens("access-1", refresh: "refresh-1")) }
    return try await server.instance().client().signIn(scopes: [.profile], via: user, receiver: user)
  }

  @Test("C-21: for each request, the instance's key signs a new assertion that names the issuer and is valid for one minute")
  func privateKey() async throws {
    let server = try FakeRegistrar()
    let session = try await self.signIn(server)
    try await session.refresh()
    var identifiers: Set<String> = []
    for request in server.fixture.tokenRequests {
      let form = try #require(request.form)
      #expect(form["client_id"] == "client-1" && form["client_secret"] == nil)
      #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
      let jws = try JWSCompact(try #require(form["client_assertion"]))
      let registeredKey = try #require(try server.sentMetadata().jwks?.keys.first)
      #expect(jws.header.algorithm == "ES256" && jws.header.keyID == registeredKey.kid)
      let point = try #require(Base64URL.decode(registeredKey.x ?? "")) + #require(Base64URL.decode(registeredKey.y ?? ""))
      let signature = try P256.Signing.ECDSASignature(rawRepresentation: jws.signature)
      #expect(try P256.Signing.PublicKey(rawRepresentation: point).isValidSignature(signature, for: jws.signingInput))
      let claims = try JSONDecoder().decode(Claims.self, from: Data(jws.payload))
      #expect(claims.iss == "client-1" && claims.sub == "client-1" && claims.aud == SignInFixture.issuer)
      #expect(claims.iat == server.fixture.clock.now.seconds && claims.exp == claims.iat + 60)
      identifiers.insert(claims.jti)
    }
    #expect(identifiers.count == 2)
  }

  @Test(
    "C-21: the instance's secret is sent with the registered method, in addition to PKCE",
    arguments: [
      ("client_secret_basic", true), ("client_secret_post", false),
    ])
  func secret(method: String, inHeader: Bool) async throws {
    let server = try FakeRegistrar(methods: [method])
    _ = try await self.signIn(server)
    let request = try #require(server.fixture.tokenRequests.first)
    let form = try #require(request.form)
    let basic = "Basic " + Data("client-1:secret-client-1".utf8).base64EncodedString()
    #expect(request.head.headerFields[.authorization] == (inHeader ? basic : nil))
    #expect(form["client_secret"] == (inHeader ? nil : "secret-client-1"))
    #expect(form["code_verifier"] != nil)
  }

  @Test("C-21: after invalid_client, the instance registers again if the server no longer has the client")
  func forgotten() async throws {
    let server = try FakeRegistrar()
    let session = try await self.signIn(server)
    server.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", status: .unauthorized))
    server.forget("client-1")
    await #expect(throws: SessionError.self) { try await session.refresh() }
    #expect(try await server.instance().client().clientID == "client-2")
  }

  @Test("C-21: after invalid_client, the registration is kept if the server still has the client")
  func notForgotten() async throws {
    let server = try FakeRegistrar()
    let session = try await self.signIn(server)
    server.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", status: .unauthorized))
    await #expect(throws: SessionError.self) { try await session.refresh() }
    #expect(server.fixture.transport.requests(to: "\(FakeRegistrar.url)/client-1").count == 1)
    #expect(try await server.instance().client().clientID == "client-1")
    #expect(server.registrations.count == 1)
  }

  @Test("C-21: a delayed error for an earlier registration does not remove the current one")
  func lateError() async throws {
    let server = try FakeRegistrar(manages: false)
    let session = try await self.signIn(server)
    server.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_client", status: .unauthorized))
    await #expect(throws: SessionError.self) { try await session.refresh() }
    #expect(try await server.instance().client().clientID == "client-2")
    // `session` still belongs to client-1.
    await #expect(throws: SessionError.self) { try await session.refresh() }
    #expect(try await server.instance().client().clientID == "client-2")
  }
}
