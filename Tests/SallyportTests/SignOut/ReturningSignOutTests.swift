import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("RP-initiated logout that comes back", .timeLimit(.minutes(1)))
struct ReturningSignOutTests {
  private let fixture: SignInFixture

  init() throws {
    self.fixture = try SignInFixture()
    self.fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
  }

  /// The URL on which the server sends the browser back.
  private static func back(_ request: FormParameters, state: String? = nil) -> String {
    let query = FormParameters.encode([(name: "state", value: state ?? request["state"] ?? "")])
    return "\(request["post_logout_redirect_uri"] ?? "")?\(query)"
  }

  @Test(
    "OpenID Connect RP-Initiated Logout §3: the app waits for the redirect, and the person ends on a page that says so",
    arguments: [SignInFixture.callback, "com.example.app:/signed-out", "https://app.example/signed-out"])
  func returned(_ redirectURI: String) async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson(redirectURI) { [Self.back($0)] }
    let outcome = try await session.signOut(via: person, returningTo: person)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, page: .returned))
    #expect(person.outcomes == [.signedOut(appName: "Notes")])
    #expect(person.parameters["post_logout_redirect_uri"] == redirectURI)
    #expect(person.parameters["state"]?.utf8.count == 43)
    #expect(!person.isBound)
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("OpenID Connect RP-Initiated Logout §3: what does not bring the state of this sign-out is turned away")
  func strangers() async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson { request in
      let state = request["state"] ?? ""
      return [
        SignInFixture.callback, "\(SignInFixture.callback)?state=guess", "\(SignInFixture.callback)?error=access_denied",
        "\(SignInFixture.callback)?state=\(state)&state=\(state)", "http://127.0.0.1:49152/other?state=\(state)",
        "http://127.0.0.1:49153/oauth2redirect/id.example?state=\(state)", Self.back(request),
      ]
    }
    var browserSignOut = BrowserSignOut(state: "guess")
    browserSignOut.uiLocales = ["de", "en"]
    #expect(try await session.signOut(browserSignOut, via: person, returningTo: person).page == .returned)
    #expect(person.rejected.count == 6)
    #expect(person.parameters["ui_locales"] == "de en")
  }

  @Test("each sign-out has a state of its own")
  func fresh() async throws {
    var states: Set<String> = []
    for _ in 0..<3 {
      let session = try await self.fixture.signedIn()
      let person = try FakePerson { [Self.back($0)] }
      try await session.signOut(via: person, returningTo: person)
      states.insert(try #require(person.parameters["state"]))
    }
    #expect(states.count == 3)
  }

  @Test("a redirect that cannot be bound: the page opens without one, and nothing is waited for")
  func cannotBind() async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson(bindError: .cannotBind(reason: "in use")) { _ in [] }
    let outcome = try await session.signOut(via: person, returningTo: person)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, page: .opened))
    #expect(person.parameters["post_logout_redirect_uri"] == nil)
    #expect(person.parameters["client_id"] == "notes")
  }

  @Test("C-11: a server without the page opens no port")
  func notOffered() async throws {
    let fixture = try SignInFixture { $0.metadata.endSessionEndpoint = nil }
    fixture.transport.on(SignInFixture.revokeURL, respond: .json(""))
    let session = try await fixture.signedIn()
    let person = try FakePerson(bindError: .failed(reason: "nobody should have asked")) { _ in [] }
    let outcome = try await session.signOut(via: person, returningTo: person)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, page: .notOffered))
  }

  @Test("a browser that does not come back: the person is signed out here all the same, and the app hears why it stopped waiting")
  func absent() async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson { _ in [] }
    let outcome = try await session.signOut(via: person, returningTo: person, within: .zero)
    #expect(outcome == BrowserSignOutOutcome(tokens: .revoked, page: .notReturned(.timedOut)))
    #expect(!person.isBound)
    #expect(try await self.fixture.client().restoreSession() == nil)

    let second = try await self.fixture.signedIn()
    let other = try FakePerson { _ in [] }
    let signOut = Task { try await second.signOut(via: other, returningTo: other) }
    await other.opening.wait()
    signOut.cancel()
    #expect(try await signOut.value.page == .notReturned(.cancelled))
    #expect(try await self.fixture.client().restoreSession() == nil)
  }

  @Test("no browser: nothing is waited for")
  func noBrowser() async throws {
    let session = try await self.fixture.signedIn()
    let person = try FakePerson(openError: .noBrowser(tried: ["x"])) { _ in [] }
    let outcome = try await session.signOut(via: person, returningTo: person)
    #expect(outcome.page == .notOpened(.noBrowser(tried: ["x"])))
  }
}
