import Foundation
import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport
import Testing

@Suite("Sign-in on another device", .timeLimit(.minutes(1)))
struct DeviceSignInTests {
  private let fixture: DeviceFixture

  init() throws {
    self.fixture = try DeviceFixture()
  }

  @Test("P-06: the code is shown, the user approves on another device, and the session is stored")
  func good() async throws {
    self.fixture.respondToPolls([DeviceFixture.pending, DeviceFixture.pending])
    let session = try await self.fixture.signIn()
    #expect(try await session.accessToken().reveal() == "access-1")
    #expect(await session.claims?.subject == "ada")
    #expect(await session.isRenewable)
    #expect(try await self.fixture.base.client().restoreSession() != nil)

    let prompt = try #require(self.fixture.prompts.first)
    #expect(self.fixture.prompts.count == 1)
    #expect(prompt.userCode == "WDJB-MJHT")
    #expect(prompt.verificationURI.value == "https://id.example/device")
    #expect(prompt.completeURI?.value == "https://id.example/device?user_code=WDJB-MJHT")
    #expect(prompt.expiration == Date(timeIntervalSince1970: 1_800_000_000 + 1800))
  }

  @Test(
    "P-06, C-20: the device authorization request and the poll contain the parameters of RFC 8628 §3.1 and §3.4, and no client secret"
  )
  func requests() async throws {
    self.fixture.respondToPolls([])
    _ = try await self.fixture.signIn()
    let request = try #require(self.fixture.base.transport.requests(to: DeviceFixture.deviceURL).first)
    let form = try #require(request.form)
    #expect(Set(form.names) == ["client_id", "scope"])
    #expect(form["client_id"] == "notes" && form["scope"] == "openid offline_access")
    let poll = try #require(self.fixture.polls.first?.form)
    #expect(Set(poll.names) == ["client_id", "grant_type", "device_code"])
    #expect(poll["grant_type"] == DeviceFixture.grantType && poll["device_code"] == "device-code-1")
    #expect(self.fixture.polls[0].head.headerFields[.authorization] == nil)
  }

  @Test("if the server does not announce the device authorization endpoint, the sign-in fails, and no code is shown")
  func notOffered() async throws {
    let fixture = try DeviceFixture { $0.metadata.deviceAuthorizationEndpoint = nil }
    await #expect(throws: SignInError.deviceAuthorization(.notOffered)) { try await fixture.signIn() }
    #expect(fixture.prompts.isEmpty && fixture.polls.isEmpty)
  }

  @Test("C-23: if the metadata of an https server names an http device endpoint, the sign-in fails")
  func downgrade() async throws {
    let fixture = try DeviceFixture { $0.metadata.deviceAuthorizationEndpoint = "http://127.0.0.1:1/device" }
    await #expect(throws: SignInError.discovery(.downgrade(.deviceAuthorization))) { try await fixture.signIn() }
  }

  @Test(
    "an error response to the device authorization request is reported with the server's error code",
    arguments: ["invalid_client", "invalid_scope", "unauthorized_client"])
  func refusedRequest(_ code: String) async throws {
    self.fixture.offer(["error": .string(code)], status: .badRequest)
    let errorResponse = OAuthErrorResponse(error: code, description: nil)
    await #expect(throws: SignInError.refused(errorResponse)) { try await self.fixture.signIn() }
    #expect(self.fixture.prompts.isEmpty)
  }

  @Test("status 429, 500, or 503 is reported as a temporarily unavailable server", arguments: [429, 500, 503])
  func unavailable(_ status: Int) async throws {
    self.fixture.offer([:], status: HTTPResponse.Status(code: status))
    await #expect(throws: SignInError.unavailable(status: status)) { try await self.fixture.signIn() }
  }

  @Test(
    "P-06: if the user denies the request on the other device, the sign-in is denied, whatever the status of the response",
    arguments: [HTTPResponse.Status.ok, .badRequest, .forbidden])
  func denied(_ status: HTTPResponse.Status) async throws {
    self.fixture.respondToPolls([
      DeviceFixture.error("authorization_pending", status: status), DeviceFixture.error("access_denied", status: status),
    ])
    let errorResponse = OAuthErrorResponse(error: "access_denied", description: nil)
    await #expect(throws: SignInError.denied(errorResponse)) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 2)
  }

  @Test(
    "P-06: invalid_grant, invalid_client, or invalid_request in the response to a poll ends the sign-in",
    arguments: ["invalid_grant", "invalid_client", "invalid_request"])
  func refusedPoll(_ code: String) async throws {
    self.fixture.respondToPolls([DeviceFixture.pending, DeviceFixture.error(code)])
    let errorResponse = OAuthErrorResponse(error: code, description: nil)
    await #expect(throws: SignInError.refused(errorResponse)) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 2)
  }

  @Test("the error does not contain the device code, even if the server repeats it")
  func hidesDeviceCode() async throws {
    self.fixture.respondToPolls([.success(SignInFixture.error("invalid_grant", description: "unknown device-code-1"))])
    let error = await #expect(throws: SignInError.self) { try await self.fixture.signIn() }
    #expect(error == .refused(OAuthErrorResponse(error: "invalid_grant", description: "unknown <redacted>")))
  }

  @Test("C-29: the ID token is verified, and nothing is stored if the verification fails")
  func wrongIDToken() async throws {
    self.fixture.respondToPolls([]) { $0["aud"] = "another" }
    await #expect(throws: SignInError.idToken(.audienceMismatch)) { try await self.fixture.signIn() }
    #expect(self.fixture.base.store.keys.isEmpty)
  }

  @Test("a response without the requested ID token is rejected")
  func noIDToken() async throws {
    self.fixture.respondToPolls([.success(SignInFixture.tokens("access-1", refresh: nil))])
    await #expect(throws: SignInError.tokenResponse(.idTokenMissing)) { try await self.fixture.signIn() }
  }

  @Test("without the scope openid, no ID token is required")
  func plainOAuth() async throws {
    self.fixture.respondToPolls([.success(SignInFixture.tokens("access-1", refresh: nil))])
    let session = try await self.fixture.signIn(SignInOptions(scopes: ["notes"], timeout: .seconds(60)))
    #expect(await session.claims == nil)
  }

  @Test("canceling the sign-in while it waits is reported as a cancellation")
  func cancelled() async throws {
    self.fixture.respondToPolls([])
    let waiting = Gate()
    let fixture = self.fixture
    let signIn = Task {
      try await fixture.signIn(sleep: { _ in
        waiting.open()
        try await Task.sleep(for: .seconds(3600))
      })
    }
    await waiting.wait()
    signIn.cancel()
    await #expect(throws: SignInError.cancelled) { try await signIn.value }
    #expect(self.fixture.polls.isEmpty)
  }
}
