import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Hostile device authorization responses", .timeLimit(.minutes(1)))
struct HostileDeviceResponseTests {
  /// A member of the response, its invalid value (`nil` if the member is absent), and the error that the value causes.
  struct Case: Sendable, CustomTestStringConvertible {
    var member: String
    var value: JSONValue?
    var error: DeviceAuthorizationError

    init(_ member: String, _ value: JSONValue?, _ error: DeviceAuthorizationError) {
      (self.member, self.value, self.error) = (member, value, error)
    }

    var testDescription: String { "\(self.member): \("\(self.value ?? "absent")".debugDescription.prefix(80))" }
  }

  // U+202E reverses the direction of the text, and U+0410 is a Cyrillic letter that looks like A.
  static let members: [Case] = [
    Case("device_code", nil, .malformed), Case("device_code", "", .deviceCodeMalformed),
    Case("device_code", 5, .malformed), Case("device_code", "a b", .deviceCodeMalformed),
    Case("device_code", "a\nb", .deviceCodeMalformed), Case("device_code", "ä", .deviceCodeMalformed),
    Case("device_code", .string(String(repeating: "x", count: 9000)), .deviceCodeMalformed),
    Case("user_code", nil, .malformed), Case("user_code", "", .userCodeMalformed), Case("user_code", 12345678, .malformed),
    Case("user_code", "\u{1B}[2J", .userCodeMalformed), Case("user_code", "AB\u{7}CD", .userCodeMalformed),
    Case("user_code", "ABCD\nOpen https://evil.example", .userCodeMalformed), Case("user_code", " ABCD", .userCodeMalformed),
    Case("user_code", "ABCD-", .userCodeMalformed), Case("user_code", "----", .userCodeMalformed),
    Case("user_code", "https://evil.example/", .userCodeMalformed), Case("user_code", "AB\u{202E}CD", .userCodeMalformed),
    Case("user_code", "\u{410}BCD", .userCodeMalformed), Case("user_code", "AB\u{A0}CD", .userCodeMalformed),
    Case("user_code", .string(String(repeating: "A", count: 41)), .userCodeMalformed),
    Case("expires_in", nil, .malformed), Case("expires_in", 0, .lifetimeInvalid), Case("expires_in", -1, .lifetimeInvalid),
    Case("expires_in", "soon", .malformed), Case("expires_in", 1e300, .lifetimeInvalid), Case("expires_in", .null, .malformed),
    Case("expires_in", .integer(.max), .lifetimeInvalid), Case("interval", -5, .intervalInvalid),
    Case("interval", .integer(.max), .intervalInvalid), Case("interval", "often", .malformed),
    Case("verification_uri_complete", 7, .malformed),
  ]

  @Test("if a member of the response is invalid, no code is shown and no poll is sent", arguments: members)
  func member(_ row: Case) async throws {
    try await self.expect(row.error, of: row.member, row.value)
  }

  static let urls: [(url: String, error: EndpointURLError)] = [
    ("", .malformed), ("id.example/device", .malformed), ("javascript:alert(1)", .malformed), ("file:///etc/passwd", .malformed),
    ("ftp://id.example/device", .scheme), ("http://id.example/device", .plainHTTP), ("http://127.0.0.1:8080/device", .plainHTTP),
    ("https://id.example@evil.example/", .userInfo), ("https://id.example/device#x", .fragment),
    ("https://id.example/\u{1B}[2J", .malformed), ("https://id.example/a b", .malformed), ("https://id.example/a\nb", .malformed),
    ("https://id.example/$(reboot)", .malformed), ("https://id.example/'", .malformed), ("-flag", .malformed),
    ("https://id.exämple/device", .malformed), ("https://id.example/\(String(repeating: "x", count: 2000))", .malformed),
  ]

  @Test("C-25: a URI that is not safe to open is not shown", arguments: urls)
  func verificationURI(_ url: String, _ error: EndpointURLError) async throws {
    try await self.expect(.verificationURI(error), of: "verification_uri", .string(url))
    try await self.expect(.verificationURI(error), of: "verification_uri_complete", .string(url))
  }

  @Test(
    "a complete verification URI with another origin than the verification URI is rejected",
    arguments: [
      "https://evil.example/device?user_code=WDJB-MJHT", "https://id.example.evil.example/device",
      "https://id.example:8443/device", "https://sub.id.example/device",
    ])
  func completeElsewhere(_ url: String) async throws {
    try await self.expect(.completeURIOriginMismatch, of: "verification_uri_complete", .string(url))
  }

  @Test("malformed responses are rejected", arguments: ["", "null", "[]", "{", "{}", "\"device\"", "<html>"])
  func garbage(_ body: String) async throws {
    let fixture = try DeviceFixture()
    fixture.base.transport.on(DeviceFixture.deviceURL, respond: .json(body))
    await #expect(throws: SignInError.deviceAuthorization(.malformed)) { try await fixture.signIn() }
    #expect(fixture.prompts.isEmpty)
  }

  @Test("any status except 200 and 201 is rejected, and redirects are not followed", arguments: [204, 302, 307, 404])
  func status(_ code: Int) async throws {
    let fixture = try DeviceFixture()
    fixture.offer(DeviceFixture.response, status: HTTPResponse.Status(code: code))
    await #expect(throws: SignInError.deviceAuthorization(.unexpectedStatus(code))) { try await fixture.signIn() }
    #expect(fixture.prompts.isEmpty)
  }

  @Test(
    "user codes with letters, digits, hyphens, or a space are accepted, and unknown members are ignored",
    arguments: ["WDJB-MJHT", "A1B2C3D4E", "123-456-789", "abc def", "x"])
  func realCodes(_ code: String) async throws {
    let fixture = try DeviceFixture()
    var response = DeviceFixture.response
    response["user_code"] = .string(code)
    response["verification_uri_complete"] = nil
    response["message"] = "an unknown member"
    fixture.offer(response)
    fixture.respondToPolls([])
    _ = try await fixture.signIn()
    #expect(fixture.prompts.first?.userCode == code)
    #expect(fixture.prompts.first?.completeURI == nil)
  }

  @Test("verification_url (Google), status 201, expires_in as a string, and a fractional interval are accepted")
  func lenient() async throws {
    let fixture = try DeviceFixture()
    var response = DeviceFixture.response
    response["verification_url"] = response["verification_uri"]
    response["verification_uri"] = nil
    response["verification_uri_complete"] = .null
    response["expires_in"] = "1800"
    response["interval"] = 7.5
    fixture.offer(response, status: .created)
    fixture.respondToPolls([])
    _ = try await fixture.signIn()
    #expect(fixture.prompts.first?.verificationURI.value == "https://id.example/device")
    #expect(fixture.waits == [.seconds(7)])
  }

  @Test("an error response with status 200 (GitHub) is reported as an error")
  func errorWithSuccess() async throws {
    let fixture = try DeviceFixture()
    fixture.offer(["error": "device_flow_disabled"])
    let errorResponse = OAuthErrorResponse(error: "device_flow_disabled", description: nil)
    await #expect(throws: SignInError.refused(errorResponse)) { try await fixture.signIn() }
  }

  @Test("C-23: an issuer on loopback may use a verification URI without TLS")
  func loopback() throws {
    var response = DeviceFixture.response
    response["verification_uri"] = "http://localhost:8080/device"
    response["verification_uri_complete"] = nil
    let authorization = try DeviceAuthorization(
      .json(encoding: response), issuer: Issuer("http://localhost:8080"), requestedAt: Timestamp(seconds: 0))
    #expect(authorization.prompt.verificationURI.value == "http://localhost:8080/device")
  }

  /// Checks that the sign-in fails with this error if a member of the response has this value, and that no code is
  /// shown.
  private func expect(_ error: DeviceAuthorizationError, of member: String, _ value: JSONValue?) async throws {
    let fixture = try DeviceFixture()
    var response = DeviceFixture.response
    response[member] = value
    fixture.offer(response)
    await #expect(throws: SignInError.deviceAuthorization(error)) { try await fixture.signIn() }
    #expect(fixture.prompts.isEmpty && fixture.polls.isEmpty)
  }
}
