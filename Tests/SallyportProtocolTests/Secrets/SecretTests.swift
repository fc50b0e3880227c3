import SallyportProtocol
import Testing

struct SecretTests {
  private struct Holder {
    var name = "holder"
    var secret = Secret("hunter2")
    var list = [Secret("hunter2")]
    var optional: Secret<String>? = Secret("hunter2")
    var keyed = ["k": Secret("hunter2")]
    var response = TokenResponse(
      accessToken: Secret("hunter2"), expiresIn: 1, refreshToken: Secret("hunter2"), idToken: Secret("hunter2"))
    // The text is a valid code verifier, so the random one is never used.
    var verifier = (try? CodeVerifier("hunter2hunter2hunter2hunter2hunter2hunter2hunter2")) ?? .random()
  }

  @Test("a secret is redacted in descriptions, interpolation, dumps, and mirrors, even if it is nested")
  func redaction() {
    let holder = Holder()
    var dumped = ""
    dump(holder, to: &dumped)
    for text in [
      "\(holder)", String(describing: holder), String(reflecting: holder), dumped, "\(holder.secret)",
      holder.secret.debugDescription, "\(Mirror(reflecting: holder.secret).children.count)", "\(holder.optional as Any)",
    ] {
      #expect(!text.contains("hunter2"))
    }
    #expect("\(holder.secret)" == "<redacted>")
    #expect(Mirror(reflecting: holder.secret).children.isEmpty)
    #expect(holder.secret.reveal() == "hunter2")
  }

  @Test(
    "secrets are compared by their bytes",
    arguments: [
      ("", "", true), ("a", "a", true), ("a", "b", false), ("a", "aa", false), ("", "a", false), ("K", "\u{212A}", false),
      ("\u{E9}", "e\u{301}", false),
    ])
  func comparison(left: String, right: String, isEqual: Bool) {
    #expect((Secret(left) == Secret(right)) == isEqual)
    #expect(constantTimeEqual(left.utf8, right.utf8) == isEqual)
  }

  @Test("random text has the requested number of bits and does not repeat")
  func random() {
    #expect(RandomText.base64URL(bits: 256).utf8.count == 43)
    #expect(RandomText.base64URL(bits: 128).utf8.count == 22)
    #expect(Set((0..<1000).map { _ in RandomText.base64URL(bits: 128) }).count == 1000)
  }
}
