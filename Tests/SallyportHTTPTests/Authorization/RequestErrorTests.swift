import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("Parameters and errors of authorization requests")
struct RequestErrorTests {
  /// A change that makes a valid request invalid, and the expected `error` and `error_description`.
  struct Case: Sendable {
    let error: String
    let description: String
    let change: @Sendable (AuthorizeParameters) -> AuthorizeParameters

    init(_ error: String, _ description: String, _ change: @escaping @Sendable (AuthorizeParameters) -> AuthorizeParameters) {
      self.error = error
      self.description = description
      self.change = change
    }
  }

  /// A case that sets or removes one parameter of a valid request.
  private static func setting(_ name: String, _ value: String?, _ error: String, _ description: String) -> Case {
    Case(error, description) { $0.with(name, value) }
  }

  static let challengeRequired = "The code_challenge parameter is missing."
  static let malformed = "The code_challenge must be the base64url encoding of 32 bytes."
  static let notS256 = "The code_challenge_method must be S256."
  static let repeatedParameter = "A parameter is repeated."
  static let onlyCode = "The response_type must be 'code'."

  static let basicCases: [Case] = [
    setting("code_challenge", nil, "invalid_request", challengeRequired),
    setting("code_challenge", "", "invalid_request", challengeRequired),
    Case("invalid_request", challengeRequired) { $0.with("code_challenge", nil).with("code_challenge_method", nil) },
    setting("code_challenge_method", nil, "invalid_request", notS256),
    setting("code_challenge_method", "plain", "invalid_request", notS256),
    setting("code_challenge_method", "s256", "invalid_request", notS256),
    setting("code_challenge_method", "S256 ", "invalid_request", notS256),
    setting("code_challenge_method", "S512", "invalid_request", notS256),
    setting("response_type", nil, "invalid_request", "The response_type parameter is missing."),
    setting("response_type", "", "invalid_request", "The response_type parameter is missing."),
    setting("scope", "notes\u{22}", "invalid_scope", "The scope is malformed."),
    setting("scope", "a\\b", "invalid_scope", "The scope is malformed."),
    setting("scope", "op\u{E9}nid", "invalid_scope", "The scope is malformed."),
    setting("scope", "admin", "invalid_scope", "The client is not allowed to request any of these scope values."),
    setting("scope", "OPENID", "invalid_scope", "The client is not allowed to request any of these scope values."),
    setting("request", "eyJ", "request_not_supported", "Request objects require a client with registered keys."),
    setting(
      "request_uri", "https://evil.example", "request_uri_not_supported",
      "The client has registered no request_uris, or the server does not fetch them."),
    setting(
      "prompt", "none login", "invalid_request", "The prompt parameter must not combine 'none' or 'create' with another value."),
    setting("max_age", "-1", "invalid_request", "The max_age parameter must be a number of seconds."),
    setting("max_age", "+5", "invalid_request", "The max_age parameter must be a number of seconds."),
    setting("max_age", "1.5", "invalid_request", "The max_age parameter must be a number of seconds."),
    setting("max_age", "99999999999999999999", "invalid_request", "The max_age parameter must be a number of seconds."),
    Case("invalid_request", repeatedParameter) { $0.repeating("prompt", "login").repeating("prompt", "login") },
    Case("invalid_request", repeatedParameter) { $0.repeating("unknown", "x").repeating("unknown", "y") },
    Case("invalid_request", repeatedParameter) { $0.repeating("code_challenge", "x") },
  ]

  static let unsupportedResponseTypes = [
    "token", "id_token", "code token", "code id_token", "code id_token token", "id_token token", "none", "CODE", "code ",
  ]
  static let unsupportedResponseModes = ["fragment", "web_message", "query.jwt", "form_post.jwt", "FORM_POST"]
  static let malformedChallenges = [
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMM",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM=", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM",
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw/cM", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw cM",
    // The unused bits of the last character are not zero.
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cN",
    "\u{E9}9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c", "x",
    String(repeating: "A", count: 128),
  ]
  static let repeatedNames = ["response_type", "scope", "state", "nonce", "code_challenge", "code_challenge_method"]

  static let cases: [Case] = {
    var cases = basicCases
    cases += unsupportedResponseTypes.map { setting("response_type", $0, "unsupported_response_type", onlyCode) }
    cases += unsupportedResponseModes.map {
      setting("response_mode", $0, "invalid_request", "The response_mode is not supported for this redirect URI.")
    }
    cases += malformedChallenges.map { setting("code_challenge", $0, "invalid_request", malformed) }
    cases += repeatedNames.map { name in Case("invalid_request", repeatedParameter) { $0.repeating(name, $0[name] ?? "") } }
    return cases
  }()

  @Test(
    "S-02, S-03, S-04, S-05, S-21, S-39, S-40: the error is sent to the verified redirect URI with state and iss, and nothing is stored",
    arguments: [TestClient.loopback, .privateUse, .claimedHTTPS])
  func rejected(client: TestClient) async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(client))
      try await site.expectingSameRowCounts {
        for wrong in Self.cases {
          let request = wrong.change(AuthorizeParameters(client))
          let reply = try await browser.get("/authorize?\(request.query)")
          // A repeated state is not returned, because it is unclear which value the app expects.
          let states = request.list.count { $0.name == "state" }
          expectErrorRedirect(
            reply, wrong.error, states == 1 ? request : request.with("state", nil), description: wrong.description)
        }
      }
    }
  }

  @Test("RFC 6749 §4.1.2.1: a client that is not registered for the code grant gets unauthorized_client before the user signs in")
  func grantTypeNotAllowed() async throws {
    try await withSite { site in
      var client = try TestClient.loopback.record
      client.grantTypes = [.deviceCode, .refreshToken]
      try await site.add(client)
      let request = AuthorizeParameters()
      expectErrorRedirect(try await TestBrowser(site).get("/authorize?\(request.query)"), "unauthorized_client", request)
    }
  }

  @Test("S-03, S-12: a native client with a static secret must send a challenge too")
  func staticSecretNeedsChallenge() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.staticSecret).with("code_challenge", nil).with("code_challenge_method", nil)
      let reply = try await TestBrowser(site).get("/authorize?\(request.query)")
      expectErrorRedirect(reply, "invalid_request", request, description: Self.challengeRequired)
    }
  }

  @Test("S-04, S-40: a confidential client cannot send a method without a challenge, a challenge without a method, or 'plain'")
  func confidentialDowngrade() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.web)
      for wrong in [
        request.with("code_challenge", nil), request.with("code_challenge_method", "plain"),
        request.with("code_challenge_method", nil),
      ] {
        expectErrorRedirect(try await TestBrowser(site).get("/authorize?\(wrong.query)"), "invalid_request", wrong)
      }
    }
  }

  @Test(
    """
    S-39: unknown and empty parameters are ignored but must not be repeated, and the scope is reduced to what the client may \
    request
    """)
  func ignored() async throws {
    try await withSite { site in
      let request = AuthorizeParameters().with("scope", "openid admin notes").repeating("unknown", "x").repeating("prompt", "")
        .repeating("claims", "{}").repeating("ui_locales", "de").repeating("prompt", "")
      // An empty value counts as omitted (RFC 6749 §3.1), but an empty parameter must not be repeated either.
      expectErrorRedirect(try await TestBrowser(site).authorize(request), "invalid_request", request)
      let single = request.with("prompt", nil).repeating("prompt", "")
      let code = try #require(try await TestBrowser(site).complete(single).parameters["code"])
      #expect(try await site.redeem(code).json["scope"] == "openid notes")
    }
  }

  @Test(
    "malformed percent-encoding and invalid UTF-8 get an error page",
    arguments: ["%", "%zz", "%c3%28", "state=%ff", "a=%2"])
  func brokenEncoding(suffix: String) async throws {
    try await withSite { site in
      try await site.expectingSameRowCounts {
        expectErrorPage(try await site.send(.get, "/authorize?\(AuthorizeParameters().query)&\(suffix)"))
      }
    }
  }

  @Test(
    "state is returned byte for byte, whatever it contains",
    arguments: ["a b+c&d=e%20", "\u{E9}\u{1F600}", "\"<script>", "\r\nX: y"])
  func stateEcho(state: String) async throws {
    try await withSite { site in
      let reply = try await TestBrowser(site).complete(AuthorizeParameters().with("state", state))
      #expect(reply.parameters["state"].map { Array($0.utf8) } == Array(state.utf8))
      #expect(reply.location?.utf8.allSatisfy { (0x21...0x7E).contains($0) } == true)
      #expect(try await TestBrowser(site).complete(AuthorizeParameters().with("state", nil)).parameters["state"] == nil)
    }
  }

  @Test("S-28: a request by POST continues at a URL that does not reveal the request's values")
  func byPost() async throws {
    try await withSite { site in
      let browser = TestBrowser(site)
      let hint = try await site.tokens().id
      let request = AuthorizeParameters().with("login_hint", "ada.l@example.com").with("id_token_hint", hint)
      let reply = try await browser.post("/authorize", request.list, headers: [:])
      let location = try #require(reply.location)
      #expect(reply.status == .seeOther && location.hasPrefix("https://id.example/interaction?i="))
      // 51004 is the port of the redirect URI.
      for value in hint.split(separator: ".").map(String.init) + ["ada.l", "51004", try #require(request["state"])] {
        #expect(!location.contains(value))
      }
      let page = try await browser.open(location)
      #expect(page.isSignInPage && page.body.contains("ada.l@example.com"))
      let response = try await browser.decide(try await browser.signIn(page), "allow")
      #expect(response.parameters["state"] == request["state"] && response.parameters["code"] != nil)

      let wrong = request.with("response_type", "token")
      expectErrorRedirect(try await browser.post("/authorize", wrong.list, headers: [:]), "unsupported_response_type", wrong)
    }
  }

  @Test("S-31, S-41: prompt=none shows no sign-in or consent page after a request by POST")
  func silentPost() async throws {
    try await withSite { site in
      let silent = AuthorizeParameters(.claimedHTTPS).with("prompt", "none")
      func post(_ request: AuthorizeParameters, _ browser: TestBrowser) async throws -> Reply {
        try await browser.open(try #require(try await browser.post("/authorize", request.list, headers: [:]).location))
      }
      expectErrorRedirect(try await post(silent, TestBrowser(site)), "login_required", silent)
      let browser = TestBrowser(site)
      _ = try await browser.complete(AuthorizeParameters(.claimedHTTPS))
      #expect(try await post(silent, browser).parameters["code"] != nil)
      let other = AuthorizeParameters(.both).with("prompt", "none")
      expectErrorRedirect(try await post(other, browser), "consent_required", other)
      // No operator registered the redirect URI, so the server does not redirect without user interaction.
      let dynamic = AuthorizeParameters(.dynamic).with("prompt", "none")
      expectErrorPage(try await post(dynamic, browser))
    }
  }

  @Test("a POST whose body is not a valid form is rejected", arguments: ["a=b\r\nX: y", "a=\u{E9}", "a=b#c", "a b"])
  func hostilePost(body: String) async throws {
    try await withSite { site in
      expectErrorPage(try await site.send(.post, "/authorize", body: Array(body.utf8)))
    }
  }
}
