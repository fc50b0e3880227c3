import SallyportProtocol
import SallyportServer
import Testing

struct PresentedCredentialsTests {
  /// `YTpi` is `a:b` in base64.
  @Test(
    "RFC 6749 §2.3.1: Basic credentials with extra spaces or missing parts are rejected",
    arguments: [" Basic YTpi", "Basic", "Basic ", "Basic YTpi "])
  func blanks(_ field: String) {
    #expect(throws: ClientAuthenticationError.self) { try PresentedCredentials(authorization: field, form: FormParameters()) }
  }

  @Test("the client IDs of the form and the header must be equal byte for byte")
  func sameClient() throws {
    // The field contains "K:s" in base64. U+212A is canonically equivalent to K.
    let header = "Basic Szpz"
    let same = try PresentedCredentials(authorization: header, form: FormParameters([(name: "client_id", value: "K")]))
    #expect(same.clientID.rawValue == "K")
    #expect(throws: ClientAuthenticationError.self) {
      try PresentedCredentials(authorization: header, form: FormParameters([(name: "client_id", value: "\u{212A}")]))
    }
  }
}
