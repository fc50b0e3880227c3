import SallyportProtocol
import Testing

@testable import SallyportServer

@Suite("One-time passwords")
struct TOTPTests {
  private static let secret = Secret(Array("12345678901234567890".utf8))

  @Test("the codes match RFC 4226 appendix D")
  func counterVectors() {
    let codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
    #expect(codes.indices.map { TOTP.code(Self.secret, step: Int64($0)) } == codes)
  }

  @Test(
    "the codes match RFC 6238 appendix B for SHA-1",
    arguments: [
      (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
      (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
    ] as [(Int64, String)])
  func timeVectors(seconds: Int64, code: String) {
    let step = TOTP.step(at: Timestamp(seconds: seconds))
    #expect(TOTP.code(Self.secret, step: step, digits: 8) == code)
    #expect(TOTP.code(Self.secret, step: step) == code.suffix(6))
  }

  @Test("a code matches in its own step and in the steps before and after it, unless its step or a later step was used")
  func window() {
    // This time is in step 100, because a step takes 30 seconds. `after: -1` means that no step was used.
    let now = Timestamp(seconds: 3_000)
    for step in Int64(95)...105 {
      let code = TOTP.code(Self.secret, step: step)
      #expect(TOTP.step(of: code, Self.secret, after: -1, at: now) == ((99...101).contains(step) ? step : nil))
      #expect(TOTP.step(of: code, Self.secret, after: 100, at: now) == (step == 101 ? step : nil))
      #expect(TOTP.step(of: code, Self.secret, after: 101, at: now) == nil)
    }
  }

  @Test(
    "six digits of any script are a code, with white space and hyphens or without",
    arguments: [
      "123456", "123 456", " 1 2 3 4 5 6 ", "123-456", "123\u{A0}456\n", "123\u{2011}456", "١٢٣٤٥٦", "۱۲۳۴۵۶", "१२३४५६",
      "１２３ ４５６",
    ])
  func digits(text: String) {
    #expect(TOTP.digits(in: text) == "123456")
  }

  @Test("any other text is not a code", arguments: ["", "12345", "1234567", "12345a", "+12345", "12345²", "12345⑥", "12345六"])
  func otherText(text: String) {
    #expect(TOTP.digits(in: text) == nil)
  }

  @Test("the URI of the QR code names the server and the user, percent-encoded")
  func enrollmentURI() {
    // A colon separates the server from the user, so a colon in the server's name becomes a space.
    let enrollment = TOTPEnrollment(Self.secret, sealed: Secret("x"), server: "Ada: Co & Söhne", username: "ada@b?c")
    let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    #expect(
      enrollment.uri.reveal()
        == "otpauth://totp/Ada%20%20Co%20%26%20S%C3%B6hne:ada%40b%3Fc?secret=\(secret)&issuer=Ada%20%20Co%20%26%20S%C3%B6hne"
        + "&algorithm=SHA1&digits=6&period=30")
    #expect(enrollment.secret.reveal() == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ")
    #expect("\(enrollment)".contains(secret) == false)
  }

  @Test(
    "base32 matches the vectors of RFC 4648 §10, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
      ("foobar", "MZXW6YTBOI"),
    ])
  func base32(text: String, encoded: String) {
    #expect(TOTPEnrollment.base32(Array(text.utf8)) == encoded)
  }
}
