import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Additional parameters", .timeLimit(.minutes(1)))
struct RequestParametersTests {
  private func configuration(for issuer: Issuer) throws -> ServerConfiguration {
    var server = ServerConfiguration(issuer: issuer)
    server.parameters = RequestParameters(
      authorization: try AdditionalParameters(["audience": "https://api.example", "hd": "example.com"]),
      device: try AdditionalParameters(["audience": "device"]),
      token: try AdditionalParameters(["audience": "token"]),
      refresh: try AdditionalParameters(["audience": "refresh"]))
    return server
  }

  @Test("the authorization, token, and refresh requests contain the parameters that are configured for them")
  func browser() async throws {
    let fixture = try SignInFixture()
    var server = try self.configuration(for: fixture.server.issuer)
    server.prompt = [.consent]
    let user = try fixture.browser()
    fixture.grantTokens(to: user)
    let client = OAuthClient(
      server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, dpop: .never,
      now: fixture.clock.dates)
    var options = SignInOptions(scopes: [.openID])
    options.additional = try AdditionalParameters(["hd": "other.example", "access_type": "offline"])
    let session = try await client.signIn(options, via: user, receiver: user)
    let request = try FormParameters(parsing: #require(user.opened.first?.split(separator: "?").last))
    #expect(request["audience"] == "https://api.example")
    #expect(request["hd"] == "other.example", "the parameter of the options replaces the configured one")
    #expect(request["access_type"] == "offline")
    #expect(request["prompt"] == "consent")
    try await session.refresh()
    #expect(fixture.tokenRequests.map { $0.form?["audience"] } == ["token", "refresh"])
  }

  @Test("the options' prompt replaces the configured one")
  func prompt() async throws {
    let fixture = try SignInFixture()
    var server = ServerConfiguration(issuer: fixture.server.issuer)
    server.prompt = [.consent]
    let user = try fixture.browser()
    fixture.grantTokens(to: user)
    let client = OAuthClient(
      server: server, clientID: "notes", store: fixture.store, transport: fixture.transport, now: fixture.clock.dates)
    _ = try await client.signIn(SignInOptions(scopes: [.openID], prompt: [.login]), via: user, receiver: user)
    #expect(user.opened.first?.contains("prompt=login") == true)
    #expect(user.opened.first?.contains("consent") == false)
  }

  @Test("the device authorization request and the token request contain the parameters that are configured for them")
  func device() async throws {
    let fixture = try DeviceFixture()
    fixture.respondToPolls([])
    let client = OAuthClient(
      server: try self.configuration(for: fixture.base.server.issuer), clientID: "notes", store: fixture.base.store,
      transport: fixture.base.transport, dpop: .never, now: fixture.base.clock.dates)
    _ = try await client.signInOnAnotherDevice(SignInOptions(scopes: ["read"]), sleep: { _ in }, show: { _ in })
    #expect(fixture.base.transport.requests(to: DeviceFixture.deviceURL).first?.form?["audience"] == "device")
    #expect(fixture.polls.first?.form?["audience"] == "token")
  }

  @Test(
    "an additional parameter cannot have the name of a parameter that the client sends itself",
    arguments: ["refresh_token", "Device_Code", "token"])
  func reserved(name: String) {
    #expect(throws: AdditionalParameterError.reserved(name)) { try AdditionalParameters([(name: name, value: "x")]) }
  }
}
