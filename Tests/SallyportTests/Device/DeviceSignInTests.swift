import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Sign-in on another device", .timeLimit(.minutes(1)))
struct DeviceSignInTests {
  private let fixture: DeviceFixture

  init() throws {
    self.fixture = try DeviceFixture()
  }

  @Test("P-06: the code is shown, the person agrees elsewhere, and the session is stored like any other")
  func good() async throws {
    self.fixture.answerPolls([DeviceFixture.pending, DeviceFixture.pending])
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
    #expect(prompt.expiresAt == Timestamp(seconds: 1_800_000_000 + 1800))
  }

  @Test("P-06, C-20: the two requests carry what RFC 8628 §3.1 and §3.4 name, and no secret")
  func requests() async throws {
    self.fixture.answerPolls([])
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

  @Test("P-06: a server that does not announce the endpoint gets no request")
  func notOffered() async throws {
    let fixture = try DeviceFixture { $0.metadata.deviceAuthorizationEndpoint = nil }
    await #expect(throws: SignInError.deviceAuthorization(.notOffered)) { try await fixture.signIn() }
    #expect(fixture.prompts.isEmpty && fixture.polls.isEmpty)
  }

  @Test("C-23: an https server whose metadata name an http device endpoint gets no request")
  func downgrade() async throws {
    let fixture = try DeviceFixture { $0.metadata.deviceAuthorizationEndpoint = "http://127.0.0.1:1/device" }
    await #expect(throws: SignInError.discovery(.downgrade(.deviceAuthorization))) { try await fixture.signIn() }
  }

  @Test(
    "a server that refuses the request is told of, with its own code",
    arguments: ["invalid_client", "invalid_scope", "unauthorized_client"])
  func refusedRequest(_ code: String) async throws {
    self.fixture.offer(["error": .string(code)], status: .badRequest)
    let refusal = ServerRefusal(error: code, description: nil)
    await #expect(throws: SignInError.refused(refusal)) { try await self.fixture.signIn() }
    #expect(self.fixture.prompts.isEmpty)
  }

  @Test("a server in trouble is told of as such", arguments: [429, 500, 503])
  func unavailable(_ status: Int) async throws {
    self.fixture.offer([:], status: HTTPResponse.Status(code: status))
    await #expect(throws: SignInError.unavailable(status: status)) { try await self.fixture.signIn() }
  }

  @Test("P-06: a person who says no elsewhere has said no here")
  func denied() async throws {
    self.fixture.answerPolls([DeviceFixture.pending, DeviceFixture.error("access_denied")])
    let refusal = ServerRefusal(error: "access_denied", description: nil)
    await #expect(throws: SignInError.denied(refusal)) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 2)
  }

  @Test("P-06: any other refusal of a poll ends the sign-in", arguments: ["invalid_grant", "invalid_client", "server_error"])
  func refusedPoll(_ code: String) async throws {
    self.fixture.answerPolls([DeviceFixture.pending, DeviceFixture.error(code)])
    let refusal = ServerRefusal(error: code, description: nil)
    await #expect(throws: SignInError.refused(refusal)) { try await self.fixture.signIn() }
    #expect(self.fixture.polls.count == 2)
  }

  @Test("a server that repeats the device code in its refusal does not put it into an error")
  func hidesDeviceCode() async throws {
    self.fixture.answerPolls([.success(SignInFixture.error("invalid_grant", description: "unknown device-code-1"))])
    let error = await #expect(throws: SignInError.self) { try await self.fixture.signIn() }
    #expect(error == .refused(ServerRefusal(error: "invalid_grant", description: "unknown <redacted>")))
  }

  @Test("C-29: the ID token is verified as everywhere, and nothing is stored of an answer that fails")
  func wrongIDToken() async throws {
    self.fixture.answerPolls([]) { $0["aud"] = "another" }
    await #expect(throws: SignInError.idToken(.audienceMismatch)) { try await self.fixture.signIn() }
    #expect(self.fixture.base.store.keys.isEmpty)
  }

  @Test("an answer without the ID token that was asked for is refused")
  func noIDToken() async throws {
    self.fixture.answerPolls([.success(SignInFixture.tokens("access-1", refresh: nil))])
    await #expect(throws: SignInError.tokenResponse(.idTokenMissing)) { try await self.fixture.signIn() }
  }

  @Test("a server that is asked for no identity needs to send none")
  func plainOAuth() async throws {
    self.fixture.answerPolls([.success(SignInFixture.tokens("access-1", refresh: nil))])
    let session = try await self.fixture.signIn(SignInOptions(scopes: ["notes"], timeout: .seconds(60)))
    #expect(await session.claims == nil)
  }

  @Test("a program that stops the sign-in while it waits is not taken for a person who says no")
  func cancelled() async throws {
    self.fixture.answerPolls([])
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
