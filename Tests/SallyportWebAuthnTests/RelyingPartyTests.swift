import SallyportWebAuthn
import Testing
import WebAuthnTestSupport

@Suite("Relying parties")
struct RelyingPartyTests {
  private static func error(_ id: String, _ origins: [String], related: [String] = []) -> RelyingPartyError? {
    Result { () throws(RelyingPartyError) in try RelyingParty(id: id, origins: origins, relatedOrigins: related) }.error
  }

  @Test(
    "the ID can be the host of an origin or a parent domain",
    arguments: [
      ("example.org", "https://example.org"), ("example.org", "https://example.org:8443"),
      ("example.org", "https://login.example.org"), ("example.org", "https://a.b.example.org"),
      ("login.example.org", "https://login.example.org"), ("localhost", "http://localhost:8080"),
      ("localhost", "http://localhost"), ("localhost", "https://localhost"),
      ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
      ("idp", "https://idp"), ("1.example", "https://1.example"),
    ])
  func accepted(_ id: String, _ origin: String) {
    #expect(Self.error(id, [origin]) == nil)
  }

  @Test(
    "an ID that is neither the host nor a parent domain is rejected",
    arguments: [
      ("login.example.org", "https://example.org"), ("example.org", "https://example.com"),
      ("example.org", "https://badexample.org"), ("org", "https://example.org"), ("localhost", "https://example.org"),
      ("example.org", "http://localhost:8080"), ("ample.org", "https://example.org"),
    ])
  func outside(_ id: String, _ origin: String) {
    #expect(Self.error(id, [origin]) == .originOutsideID(origin, id: id))
    // Related origins need no common domain.
    #expect(Self.error(id, ["https://\(id)"], related: [origin]) == nil)
  }

  @Test(
    "an ID must be a domain name in lowercase",
    arguments: [
      "", ".", "example.org.", ".example.org", "a..b", "Example.org", "example.org:443", "https://example.org", "127.0.0.1",
      "[::1]",
      "-a.example", "a-.example", "a_b.example", "bücher.example", "a b", String(repeating: "a", count: 64) + ".example",
    ])
  func invalidID(_ id: String) {
    #expect(Self.error(id, ["https://example.org"]) == .invalidID(id))
  }

  @Test(
    "an origin must be written as browsers write it, with https, or with http on localhost",
    arguments: [
      "", "example.org", "http://example.org", "http://127.0.0.1:8080", "http://[::1]", "https://example.org/",
      "https://example.org/login", "https://example.org:443", "http://localhost:80", "https://user@example.org",
      "https://Example.org", "HTTPS://example.org", "https://example.org?x", "https://example.org#", "https://",
      "https://example.org:",
      "https://example.org:0", "https://*.example.org", "android:apk-key-hash:AAAA", "null", "ws://localhost",
      "http://a.localhost",
    ])
  func invalidOrigin(_ origin: String) {
    #expect(Self.error("example.org", ["https://example.org", origin]) == .invalidOrigin(origin))
    #expect(Self.error("example.org", ["https://example.org"], related: [origin]) == .invalidOrigin(origin))
  }

  @Test("there must be an origin")
  func noOrigin() {
    #expect(Self.error("example.org", [], related: ["https://example.com"]) == .noOrigin)
  }

  @Test("registrations from listed origins are accepted, and registrations from related origins are rejected")
  func origins() async throws {
    let relyingParty = try RelyingParty(
      id: "example.org", origins: ["https://example.org", "https://login.example.org"],
      relatedOrigins: ["https://example.com:8443"])
    for (origin, error) in [
      ("https://example.org", nil), ("https://login.example.org", nil), ("https://example.com:8443", .originMismatch),
      ("https://example.com", .originMismatch), ("https://www.example.org", .originMismatch),
    ] as [(String, WebAuthnError?)] {
      var authenticator = try Example.authenticator()
      authenticator.origin = origin
      let response = try Example.registrationResponse(&authenticator)
      #expect(await Example.verify(response, by: relyingParty).error == error)
    }
  }

  @Test("the description of an error quotes the value and ends with a period")
  func descriptions() {
    for error in [
      RelyingPartyError.invalidID("x"), .noOrigin, .invalidOrigin("x"), .originOutsideID("x", id: "y"),
    ] {
      #expect(error.description.hasSuffix("."))
      #expect(error == .noOrigin || error.description.contains("\"x\""))
    }
  }
}
