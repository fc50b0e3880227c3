import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Registration responses", .timeLimit(.minutes(1)))
struct RegistrationResponseTests {
  @Test(
    "C-21: after an invalid response or an unexpected status, nothing is stored",
    arguments: [
      ("{}", 201, RegistrationError.response(.malformed)), ("[1", 201, .response(.malformed)),
      (#"{"client_id":""}"#, 201, .response(.clientIDInvalid)), (#"{"client_id":"a b"}"#, 201, .response(.clientIDInvalid)),
      (#"{"client_id":"a\u0000"}"#, 201, .response(.clientIDInvalid)),
      (#"{"client_id":"ключ"}"#, 201, .response(.clientIDInvalid)),
      (#"{"client_id":"c","token_endpoint_auth_method":"client_secret_basic"}"#, 201, .response(.secretMissing)),
      (
        #"{"client_id":"c","client_secret":"a\r\nb","token_endpoint_auth_method":"client_secret_basic"}"#, 201,
        .response(.credentialMalformed)
      ),
      (
        #"{"client_id":"c","token_endpoint_auth_method":"client_secret_jwt","client_secret":"s"}"#, 201,
        .response(.methodNotSupported)
      ),
      (
        #"{"client_id":"c","token_endpoint_auth_method":"none","redirect_uris":["https://evil.example/"]}"#, 201,
        .response(.redirectURIsMissing)
      ),
      (
        #"{"client_id":"c","token_endpoint_auth_method":"none","registration_access_token":"t","registration_client_uri":"http://id.example/r"}"#,
        201, .response(.managementURI(.plainHTTP))
      ),
      (
        #"{"client_id":"c","token_endpoint_auth_method":"none","registration_access_token":"t","registration_client_uri":"file:///r"}"#,
        201, .response(.managementURI(.malformed))
      ),
      ("", 302, .response(.unexpectedStatus(302))), ("<html>", 404, .response(.unexpectedStatus(404))),
      ("", 204, .response(.unexpectedStatus(204))), ("", 500, .unavailable(status: 500)), ("", 429, .unavailable(status: 429)),
    ])
  func broken(body: String, status: Int, error: RegistrationError) async throws {
    let server = try FakeRegistrar()
    server.fixture.transport.on(FakeRegistrar.url, respond: .json(body, status: HTTPResponse.Status(code: status)))
    await #expect(throws: error) { try await server.instance().client() }
    #expect(server.fixture.store.keys.isEmpty)
  }

  @Test(
    "C-21: if the server registers a public client instead of one with a key, requests contain neither a secret nor an assertion")
  func substituted() async throws {
    let server = try FakeRegistrar()
    server.fixture.transport.on(
      FakeRegistrar.url,
      respond: .json(#"{"client_id":"c","client_secret":"shared","token_endpoint_auth_method":"none"}"#, status: .created))
    let client = try await server.instance().client()
    server.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.error("invalid_grant"))
    let browser = try server.fixture.browser()
    _ = try? await client.signIn(scopes: [.profile], via: browser, receiver: browser)
    let form = try #require(server.fixture.tokenRequests.first?.form)
    #expect(form["client_id"] == "c")
    #expect(form["client_secret"] == nil && form["client_assertion"] == nil)
  }

  @Test("the client metadata is checked before the registration request is sent")
  func ownMetadata() async throws {
    let server = try FakeRegistrar()
    var metadata = ClientMetadata(native: "Notes")
    metadata.redirectURIs = ["myapp:/cb"]
    await #expect(throws: RegistrationError.metadata(.redirectURI(index: 0, .schemeWithoutPeriod))) {
      try await server.instance(metadata).client()
    }
    #expect(server.registrations.isEmpty)
  }

  @Test("a missing registration endpoint is reported")
  func notOffered() async throws {
    let fixture = try SignInFixture()
    await #expect(throws: RegistrationError.notOffered) {
      try await InstanceRegistration(
        server: ServerConfiguration(issuer: fixture.server.issuer), metadata: ClientMetadata(native: "Notes"),
        store: fixture.store, transport: fixture.transport
      ).client()
    }
  }

  @Test("C-21: a response with another client's registration is rejected")
  func changedID() async throws {
    let server = try FakeRegistrar()
    _ = try await server.instance().client()
    // The server registered the client as `client-1`.
    server.fixture.transport.on("\(FakeRegistrar.url)/client-1", respond: .json(#"{"client_id":"client-9"}"#))
    await #expect(throws: RegistrationError.response(.clientIDChanged)) { try await server.instance().read() }
    #expect(try await server.instance().client().clientID == "client-1")
  }
}
