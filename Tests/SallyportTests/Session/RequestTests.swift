import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Requests with a token", .timeLimit(.minutes(1)))
struct RequestTests {
  private let fixture: SignInFixture
  private static let api = "https://api.example/notes"

  init() throws {
    self.fixture = try SignInFixture()
  }

  private func session() async throws -> OAuthSession {
    try await self.fixture.signIn(tokenOrigins: ["https://api.example/"])
  }

  private func request(_ authority: String = "api.example", scheme: String = "https", path: String = "/notes") -> HTTPRequest {
    HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
  }

  @Test("C-34: the token is sent only in the Authorization header field")
  func header() async throws {
    let session = try await self.session()
    self.fixture.transport.on(Self.api, respond: .json("[]"))
    _ = try await session.send(self.request(path: "/notes?page=2"))
    let sentRequest = try #require(self.fixture.transport.requests(to: Self.api).first)
    #expect(sentRequest.head.headerFields[.authorization] == "Bearer access-1")
    #expect(sentRequest.url == "https://api.example/notes?page=2")
    #expect(sentRequest.body.isEmpty)
  }

  @Test(
    "C-34: a request to another origin, or with a malformed URL, is not sent",
    arguments: [
      ("https", "evil.example", "/notes"), ("http", "api.example", "/notes"), ("https", "api.example:8443", "/notes"),
      ("https", "api.example.evil.example", "/notes"), ("https", "api.example@evil.example", "/notes"),
      ("https", "evil.example#api.example", "/"), ("https", "api.example", "@evil.example/"), ("https", "api.example", ""),
      ("https", "api.example", ".evil.example/"), ("https", "api.example", ":8443/"), ("https", "api.example/", "/notes"),
      ("https", "api.example\\@evil.example", "/"), ("https", "", "/notes"), ("https", "id.example", "/notes"),
      ("https", "api.example.", "/notes"), ("https", "api.example", "/a\r\nHost: evil.example"),
    ])
  func otherOrigins(scheme: String, authority: String, path: String) async throws {
    let session = try await self.session()
    let before = self.fixture.transport.requests.count
    let error = await #expect(throws: SessionError.self) {
      try await session.send(self.request(authority, scheme: scheme, path: path))
    }
    #expect(error == .requestMalformed || error == .originNotAllowed, "\(String(describing: error))")
    #expect(self.fixture.transport.requests.count == before)
  }

  @Test("C-34: a request with its own Host header field is rejected")
  func hostHeader() async throws {
    let session = try await self.session()
    var request = self.request()
    request.headerFields[try #require(HTTPField.Name("Host"))] = "evil.example"
    await #expect(throws: SessionError.requestMalformed) { try await session.send(request) }
  }

  @Test(
    "C-34: a redirect from an API is returned to the app and not followed",
    arguments: ["https://evil.example/", "http://api.example/notes", "https://api.example/other"])
  func redirects(location: String) async throws {
    let session = try await self.session()
    self.fixture.transport.on(Self.api, respond: .redirect(to: location, status: .temporaryRedirect))
    let response = try await session.send(self.request())
    #expect(response.head.status == .temporaryRedirect)
    #expect(self.fixture.transport.requests(to: location).isEmpty)
    #expect(self.fixture.transport.requests(to: Self.api).count == 1)
  }

  @Test(
    "the API's origin is recognized with its default port and in uppercase letters",
    arguments: ["api.example:443", "API.example"])
  func spelling(authority: String) async throws {
    let session = try await self.session()
    _ = try await session.send(self.request(authority))
    #expect(self.fixture.transport.requests.last?.head.headerFields[.authorization] == "Bearer access-1")
  }

  @Test("if the API rejects the token, the session refreshes it and repeats the request once")
  func retry() async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    self.fixture.transport.on(Self.api, respond: .text("", status: .unauthorized))
    // `send` does not refresh a token that was just issued.
    self.fixture.clock.advance(by: .seconds(60))
    let response = try await session.send(self.request())
    #expect(response.head.status == .unauthorized)
    let sentRequests = self.fixture.transport.requests(to: Self.api)
    #expect(sentRequests.map { $0.head.headerFields[.authorization] } == ["Bearer access-1", "Bearer access-2"])
    // The next call of `send` is also rejected, but causes no refresh, because access-2 was just issued.
    _ = try await session.send(self.request())
    #expect(self.fixture.tokenRequests.count == 2)
  }

  @Test("userinfo returns the user's claims")
  func userInfo() async throws {
    let session = try await self.session()
    self.fixture.transport.on(
      SignInFixture.userinfoURL, respond: .json(#"{"sub":"ada","name":"Ada","email":"ada@example.com"}"#))
    let info = try await session.userInfo()
    #expect(info.subject == "ada")
    #expect(info.name == "Ada")
    let sentRequest = try #require(self.fixture.transport.requests(to: SignInFixture.userinfoURL).first)
    #expect(sentRequest.head.headerFields[.authorization] == "Bearer access-1")
  }

  @Test("userinfo accepts claims whose types differ from the specification, as Amazon Cognito sends them")
  func userInfoOfCognito() async throws {
    let session = try await self.session()
    for (verified, expected) in [(#""true""#, true), (#""false""#, false), ("1", nil), (#""yes""#, nil)] as [(String, Bool?)] {
      self.fixture.transport.on(
        SignInFixture.userinfoURL,
        respond: .json(#"{"sub":"ada","name":["Ada"],"email":"ada@example.com","email_verified":\#(verified)}"#))
      let info = try await session.userInfo()
      #expect(info.emailVerified == expected && info.email == "ada@example.com" && info.name == nil)
    }
  }

  @Test("if the userinfo endpoint rejects a token that was just issued, the session refreshes it and repeats the request once")
  func rejectedUserInfo() async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.tokenURL, respond: SignInFixture.tokens("access-2", refresh: "refresh-2"))
    self.fixture.transport.on(SignInFixture.userinfoURL, respond: .text("", status: .unauthorized))
    await #expect(throws: SessionError.userInfo(.unexpectedStatus(401))) { try await session.userInfo() }
    let sentRequests = self.fixture.transport.requests(to: SignInFixture.userinfoURL)
    #expect(sentRequests.map { $0.head.headerFields[.authorization] } == ["Bearer access-1", "Bearer access-2"])
    #expect(UserInfoError.unexpectedStatus(401).explanation.advice.contains("Sign the user in again"))
  }

  @Test(
    "C-33: userinfo about another user, or without a subject, is rejected",
    arguments: [
      (#"{"sub":"eve","name":"Ada"}"#, UserInfoError.subjectMismatch), (#"{"sub":""}"#, .subjectMismatch),
      (#"{"sub":"ADA"}"#, .subjectMismatch), (#"{"name":"Ada"}"#, .malformed), ("", .malformed), (#"["ada"]"#, .malformed),
    ])
  func swapped(body: String, error: UserInfoError) async throws {
    let session = try await self.session()
    self.fixture.transport.on(SignInFixture.userinfoURL, respond: .json(body))
    await #expect(throws: SessionError.userInfo(error)) { try await session.userInfo() }
  }
}
