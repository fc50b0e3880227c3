import HTTPTypes
import SallyportProtocol
import Testing

@Suite("WWW-Authenticate, RFC 9110 §11.6.1")
struct AuthenticationChallengeTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let field: String
    /// The expected challenges in canonical form.
    let expected: [String]
    var testDescription: String { self.field }

    init(_ field: String, _ expected: String...) {
      self.field = field
      self.expected = expected
    }
  }

  @Test(
    "several challenges, lists, quoted strings, and token68 values are parsed",
    arguments: [
      Row(""), Row(" , ,\t"), Row("Bearer", "Bearer"), Row("Bearer ", "Bearer"), Row("Bearer,DPoP", "Bearer", "DPoP"),
      Row("Bearer, , DPoP ,", "Bearer", "DPoP"), Row(",Bearer", "Bearer"),
      Row(#"Bearer realm="x""#, #"Bearer realm="x""#), Row("Bearer realm=x", #"Bearer realm="x""#),
      Row(#"Bearer realm = "x" , error=invalid_token"#, #"Bearer realm="x", error="invalid_token""#),
      Row(#"Bearer  ERROR="a""#, #"Bearer error="a""#), Row("Bearer\trealm=x", #"Bearer realm="x""#),
      Row(#"Bearer realm="a, DPoP error=\"x\"", scope="b c""#, #"Bearer realm="a, DPoP error=\"x\"", scope="b c""#),
      Row(#"Bearer realm="\a\\""#, #"Bearer realm="a\\""#), Row(#"Bearer realm="""#, #"Bearer realm="""#),
      Row("Bearer realm=\"é\tx\"", "Bearer realm=\"é\tx\""),
      Row("Negotiate YWJj", "Negotiate YWJj"), Row("Negotiate YWJj==", "Negotiate YWJj=="), Row("Negotiate a=", "Negotiate a="),
      Row("Negotiate YWJj==, Bearer realm=x", "Negotiate YWJj==", #"Bearer realm="x""#),
      Row("Basic realm=x, Bearer, DPoP algs=\"ES256 PS256\"", #"Basic realm="x""#, "Bearer", #"DPoP algs="ES256 PS256""#),
      Row(
        #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
        #"Newauth realm="apps", type="1", title="Login to \"apps\"""#, #"Basic realm="simple""#),
      Row(
        #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#,
        #"DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof""#),
      Row(
        #"Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource""#,
        #"Bearer resource_metadata="https://api.example/.well-known/oauth-protected-resource""#),
    ])
  func good(_ row: Row) throws {
    #expect(try AuthenticationChallenge.parse(row.field).map(\.fieldValue) == row.expected)
  }

  @Test(
    "a field that violates the grammar is rejected",
    arguments: [
      "=", "=x", "realm=x", #""Bearer""#, "Bearer =x", "Bearer realm=x, y=", "Bearer x=y, realm=,", "Bearer realm==x",
      #"Bearer realm="x"#,
      #"Bearer realm="x\"#, #"Bearer realm="x" y"#, #"Bearer realm="x"error=y"#, #"Bearer realm=x"y""#, "Bearer realm=x y",
      "Bearer abc def", "Bearer abc realm=x", "Bearer a@b", "Bearer@x", "Bearer/x realm=y", "Bearer realm:x", "Bäarer",
      "Bearer realm=ä", "Bearer realm=\"a\r\nX-Evil: 1\"", "Bearer realm=\"\u{0}\"", "Bearer realm=\"\u{7F}\"", "Bearer\nrealm=x",
      "Bearer realm=\"\\\u{1}\"", "Bearer, realm=x", "Negotiate YWJj==, realm=x", "Negotiate a=b=c", "Bearer realm=x; error=y",
    ])
  func hostile(_ field: String) {
    #expect(throws: ChallengeError.malformed) { try AuthenticationChallenge.parse(field) }
  }

  @Test("a parameter cannot occur twice in one challenge, regardless of case, but it can occur in two challenges")
  func repeated() throws {
    #expect(throws: ChallengeError.repeatedParameter) { try AuthenticationChallenge.parse("Bearer scope=a, Scope=b") }
    #expect(try AuthenticationChallenge.parse("Bearer scope=a, DPoP scope=b").compactMap { $0["scope"] } == ["a", "b"])
  }

  @Test("a field that is too long is rejected before it is parsed")
  func tooLong() {
    #expect(throws: ChallengeError.tooLong) {
      try AuthenticationChallenge.parse("Bearer realm=\"\(String(repeating: "x", count: 20_000))\"")
    }
  }

  @Test("schemes and parameter names are case-insensitive, and values are case-sensitive")
  func names() throws {
    let challenge = try #require(try AuthenticationChallenge.parse(#"bEARER Error="invalid_token", SCOPE="a B""#).first)
    #expect(challenge.isScheme("Bearer"))
    #expect(!challenge.isScheme("DPoP"))
    #expect(challenge["ERROR"] == "invalid_token")
    #expect(challenge.error == .invalidToken)
    #expect(challenge.scope?.tokens == ["a", "B"])
    #expect(challenge["realm"] == nil)
  }

  @Test("several fields form one list, and a malformed field does not affect the others")
  func fields() {
    var fields = HTTPFields()
    fields[values: .wwwAuthenticate] = ["Bearer realm=x", "Bearer x=y, realm=", "DPoP algs=ES256"]
    #expect(AuthenticationChallenge.challenges(of: fields).map(\.scheme) == ["Bearer", "DPoP"])
    #expect(AuthenticationChallenge.challenges(of: [:]).isEmpty)
  }

  @Test("any text in a challenge is the same after writing and parsing, but control characters other than tabs become spaces")
  func roundTrip() throws {
    let texts = ["", "a", "a b", "a\tb", "\"", "\\", "\\\"", ",", "=", "a, Bearer b=\"c\"", "é", "a\r\nX-Evil: 1", "\u{0}"]
    for text in texts {
      let challenge = AuthenticationChallenge(scheme: "Bearer", parameters: ["error": text, "scope": "x"])
      let read = try AuthenticationChallenge.parse(challenge.fieldValue)
      #expect(read.count == 1)
      let printable = String(decoding: text.utf8.map { $0 < 0x20 && $0 != 0x09 ? 0x20 : $0 }, as: UTF8.self)
      #expect(read.first?["error"] == printable)
      #expect(read.first?["scope"] == "x")
    }
  }
}
