import SallyportProtocol
import Testing

@Suite("The parameters of an authorization request")
struct AuthorizationRequestTests {
  private func request() throws -> AuthorizationRequest {
    AuthorizationRequest(
      clientID: "notes", redirectURI: try RedirectURI("http://127.0.0.1:49152/cb"), scope: "openid", state: "state-1",
      codeChallenge: CodeVerifier.random().challenge)
  }

  private func parameters(_ request: AuthorizationRequest) throws -> FormParameters {
    try FormParameters(parsing: FormParameters.encode(request.parameters), repeatable: ["resource"])
  }

  @Test("C-02: a request without options contains only the parameters that every request needs")
  func plain() throws {
    let names = Set(try self.parameters(self.request()).names)
    #expect(
      names == ["response_type", "client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method"])
  }

  @Test("OpenID Connect Core §3.1.2.1, RFC 8707 §2, RFC 9449 §10: each parameter is encoded as its specification requires")
  func all() throws {
    var request = try self.request()
    request.nonce = "nonce-1"
    request.prompt = [.login, .consent]
    request.loginHint = "ada@example.com"
    request.maxAge = .seconds(300) + .milliseconds(900)
    request.uiLocales = ["fr-CA", "fr", "en"]
    request.acrValues = ["urn:a", "urn:b"]
    request.claims = ClaimsRequest(idToken: ["acr": ClaimsRequest.Claim(essential: true, values: ["urn:a"])])
    request.resources = [try ResourceIndicator("https://api.example/"), try ResourceIndicator("urn:example:b")]
    request.dpopKeyThumbprint = "jkt-1"
    request.additional = try AdditionalParameters(["audience": "x y", "hd": ""])
    let parameters = try self.parameters(request)
    #expect(parameters["nonce"] == "nonce-1")
    #expect(parameters["prompt"] == "login consent")
    #expect(parameters["login_hint"] == "ada@example.com")
    #expect(parameters["max_age"] == "300")
    #expect(parameters["ui_locales"] == "fr-CA fr en")
    #expect(parameters["acr_values"] == "urn:a urn:b")
    #expect(parameters["claims"] == #"{"id_token":{"acr":{"essential":true,"values":["urn:a"]}}}"#)
    #expect(parameters.values(of: "resource") == ["https://api.example/", "urn:example:b"])
    #expect(parameters["dpop_jkt"] == "jkt-1")
    #expect(parameters["audience"] == "x y")
    // A parameter without a value counts as missing (RFC 6749 §3.1).
    #expect(parameters["hd"] == nil)
    #expect(parameters["response_mode"] == nil)
  }

  @Test("OpenID Connect Core §3.1.2.1: max_age=0 is sent")
  func zero() throws {
    var request = try self.request()
    request.maxAge = .zero
    #expect(try self.parameters(request)["max_age"] == "0")
  }

  @Test(
    "C-02, C-04, C-16: an additional parameter cannot replace one that the client sets itself",
    arguments: [
      "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
      "code_challenge_method", "CODE_CHALLENGE_METHOD", "Request", "request_uri", "dpop_jkt", "client_secret", "resource",
      "prompt", "max_age", "id_token_hint", "claims",
    ])
  func reserved(_ name: String) {
    #expect(throws: AdditionalParameterError.reserved(name)) { try AdditionalParameters([name: "x"]) }
  }

  @Test("an additional parameter must have a name and occur only once")
  func additional() {
    #expect(throws: AdditionalParameterError.repeated("a")) { try AdditionalParameters(["a": "1", "a": "2"]) }
    #expect(throws: AdditionalParameterError.unnamed) { try AdditionalParameters(["": "1"]) }
    #expect(throws: Never.self) { try AdditionalParameters(["a&state": "evil", "b": "1"]) }
  }

  @Test("OpenID Connect Core §3.1.2.1: unknown prompt values are ignored, and 'none' cannot be combined with other values")
  func prompt() {
    #expect(Prompt(parsing: "login consent") == [.login, .consent])
    #expect(Prompt(parsing: "none") == Prompt.none)
    #expect(Prompt(parsing: "none login") == nil)
    #expect(Prompt(parsing: "unknown login") == .login)
    #expect(Prompt(parsing: "") == Prompt([]))
    #expect(Prompt([.selectAccount, .create]).description == "select_account create")
    #expect(!Prompt([.none, .login]).isValid)
  }

  @Test(
    "RFC 8707 §2: a resource must be an absolute URI without a fragment; user information and long URIs are rejected too",
    arguments: [
      ("", ResourceIndicatorError.malformed), ("/api", .malformed), ("api.example", .malformed), ("https:///x", .malformed),
      ("https://api.example/#x", .fragment), ("https://api.example/#", .fragment), ("https://a@api.example/", .userInfo),
      ("https://api.example/ x", .malformed), ("urn:", .malformed),
      ("https://api.example/" + String(repeating: "x", count: 2048), .malformed),
    ])
  func hostileResources(_ text: String, _ error: ResourceIndicatorError) {
    #expect(throws: error) { try ResourceIndicator(text) }
  }

  @Test("RFC 3986 §6.2.3: a URL without a path is equivalent to the same URL with the path /, but other URLs are not")
  func equivalence() {
    for (one, other) in [("https://a.example", "https://a.example/"), ("http://127.0.0.1:1/", "http://127.0.0.1:1")] {
      #expect(ResourceIndicator.areEquivalent(one, other) && ResourceIndicator.areEquivalent(other, one))
    }
    for (one, other) in [
      ("https://a.example/b", "https://a.example/b/"), ("https://a.example?b", "https://a.example?b/"), ("urn:x", "urn:x/"),
      ("https://a.example", "https://A.example/"), ("https://a.example", "https://a.example//"), ("", "/"),
    ] {
      #expect(!ResourceIndicator.areEquivalent(one, other), "\(one) \(other)")
    }
  }

  @Test(
    "RFC 8707 §2: resources are kept byte for byte", arguments: ["https://api.example", "https://API.example/a?b", "urn:x:y"])
  func resources(_ text: String) throws {
    #expect(try ResourceIndicator(text).value == text)
  }
}

@Suite("The claims parameter, OpenID Connect Core §5.5")
struct ClaimsRequestTests {
  @Test("§5.5: the parameter has the structure of the specification's example")
  func example() {
    let claims = ClaimsRequest(
      userInfo: [
        "given_name": ClaimsRequest.Claim(essential: true), "nickname": ClaimsRequest.Claim(),
        "email": ClaimsRequest.Claim(essential: true),
      ],
      idToken: [
        "auth_time": ClaimsRequest.Claim(essential: true), "acr": ClaimsRequest.Claim(values: ["urn:mace:incommon:iap:silver"]),
      ])
    #expect(
      claims.json == """
        {"id_token":{"acr":{"values":["urn:mace:incommon:iap:silver"]},"auth_time":{"essential":true}},\
        "userinfo":{"email":{"essential":true},"given_name":{"essential":true},"nickname":null}}
        """)
  }

  @Test("§5.5.1: values of every JSON type except null are encoded, and a claim without requirements is null")
  func values() {
    let claims = ClaimsRequest(
      userInfo: [
        "a": ClaimsRequest.Claim(value: true), "b": ClaimsRequest.Claim(value: 7), "c": ClaimsRequest.Claim(value: 1.5),
      ],
      idToken: ["d": ClaimsRequest.Claim(values: ["x", ["y"], ["z": 1]]), "sub": ClaimsRequest.Claim(value: "ada")])
    #expect(
      claims.json == """
        {"id_token":{"d":{"values":["x",["y"],{"z":1}]},"sub":{"value":"ada"}},\
        "userinfo":{"a":{"value":true},"b":{"value":7},"c":{"value":1.5}}}
        """)
    #expect(ClaimsRequest(idToken: ["a": ClaimsRequest.Claim()]).json == #"{"id_token":{"a":null}}"#)
  }

  @Test("the parameter is empty if no claims are requested")
  func empty() {
    #expect(ClaimsRequest().json.isEmpty)
  }
}
