import Sallyport
import SallyportProtocol
import TestSupport
import Testing

@Suite("The authorization request", .timeLimit(.minutes(1)))
struct PendingSignInTests {
  private func pending(scope: Scope = "openid notes") throws -> PendingSignIn {
    PendingSignIn(
      issuer: try Issuer("https://id.example"), clientID: "notes app",
      redirectURI: try RedirectURI("http://127.0.0.1:49152/oauth2redirect/id.example"), scope: scope)
  }

  private func url(of pending: PendingSignIn, _ options: SignInOptions = SignInOptions(scopes: [])) throws -> BrowserURL {
    try BrowserURL(pending.authorizationRequest(options).url(at: EndpointURL("https://id.example/authorize")))
  }

  private func parameters(_ url: BrowserURL) throws -> FormParameters {
    try FormParameters(parsing: url.value.split(separator: "?", maxSplits: 1)[1])
  }

  @Test("C-02, C-04: each request asks for a code and contains the S256 challenge of its verifier")
  func request() throws {
    let pending = try self.pending()
    let url = try self.url(of: pending)
    let parameters = try self.parameters(url)
    #expect(url.value.hasPrefix("https://id.example/authorize?"))
    #expect(parameters["response_type"] == "code")
    #expect(parameters["code_challenge_method"] == "S256")
    #expect(parameters["code_challenge"] == pending.codeVerifier.challenge.value)
    #expect(parameters["client_id"] == "notes app")
    #expect(parameters["redirect_uri"] == "http://127.0.0.1:49152/oauth2redirect/id.example")
    #expect(parameters["scope"] == "openid notes")
    #expect(parameters["state"] == pending.state.reveal())
    #expect(parameters["nonce"] == pending.nonce.reveal())
  }

  @Test("C-02, C-20: the URL contains neither the verifier nor a client secret, and its description does not contain the state")
  func noVerifier() throws {
    let pending = try self.pending()
    let url = try self.url(of: pending)
    #expect(!url.value.contains(pending.codeVerifier.text.reveal()))
    #expect(!url.value.contains("client_secret"))
    #expect(!"\(url)".contains(pending.state.reveal()))
  }

  @Test("C-03, C-16: verifier, state, and nonce have 256 bits each and are new for every request")
  func distinct() throws {
    var seen: Set<String> = []
    for _ in 0..<500 {
      let pending = try self.pending()
      for text in [pending.codeVerifier.text, pending.state, pending.nonce] {
        #expect(Base64URL.decode(text.reveal())?.count == 32)
        #expect(seen.insert(text.reveal()).inserted)
      }
    }
  }

  @Test("a request without openid has no nonce")
  func noNonce() throws {
    let url = try self.url(of: self.pending(scope: "notes"))
    #expect(try self.parameters(url)["nonce"] == nil)
  }

  @Test("C-26: the URL contains only valid characters, and the login hint, if it is not empty, is unchanged", arguments: 0..<200)
  func loginHints(seed: Int) throws {
    let hint = Self.hint(seed)
    let endpoint = try EndpointURL("https://id.example/authorize?tenant=a")
    let url = try BrowserURL(
      self.pending().authorizationRequest(SignInOptions(scopes: [], loginHint: hint)).url(at: endpoint))
    #expect(url.value.hasPrefix("https://id.example/authorize?tenant=a&"))
    #expect(url.value.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || ":/?&=%".utf8.contains($0) })
    let parameters = try self.parameters(url)
    #expect(parameters["login_hint"].map { Array($0.utf8) } == (hint.isEmpty ? nil : Array(hint.utf8)))
    #expect(parameters["tenant"] == "a")
    #expect(parameters["code_challenge_method"] == "S256")
  }

  /// Returns a login hint. For small seeds, it is one of a list of texts that are easily mishandled, and otherwise it
  /// is random.
  private static func hint(_ seed: Int) -> String {
    let known = [
      "", " ", "a b", "ada@example.com", "-flag", "--", "'; rm -rf ~; '", "\"$(id)\"", "`id`", "\n\r\t", "a&state=evil",
      "a=b&client_id=x", "#fragment", "%", "%2", "%00", "javascript:alert(1)", "file:///etc/passwd", "\u{202E}evil", "\u{1F600}",
      "\\\\server\\share", "?x", "+", "/../..", String(repeating: "é", count: 1000),
    ]
    if seed < known.count { return known[seed] }
    var generator = SplitMix64(seed: UInt64(seed))
    let scalars = (0..<Int.random(in: 1...60, using: &generator)).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
    }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test(
    "C-25: no BrowserURL can be created from an unsafe URL, so none is opened",
    arguments: [
      "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "-flag", "--version", "http://id.example/authorize",
      "https://id.example/a b", "https://id.example/a\nb", "https://id.example/\"", "https://id.example/'",
      "https://id.example/(", "https://id.example/)", "https://id.example/$x", "https://id.example/!x", "https://id.example/*",
      "https://id.example/;x", "https://id.example/`id`",
      "https://user@id.example/", "https://id.example/#x", "https://id.example\\@evil.example/", "https:///authorize",
      "https:id.example",
      "https://id.example/%", "https://-flag/", "https://id.example/\u{202E}", "https://id.example/<x>", "xdg-open", "",
    ])
  func hostileEndpoints(_ text: String) {
    #expect(throws: EndpointURLError.self) { try BrowserURL(text) }
  }
}
