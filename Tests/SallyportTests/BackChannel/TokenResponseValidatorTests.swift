import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Token responses", .timeLimit(.minutes(1)))
struct TokenResponseValidatorTests {
  /// An invalid token response, and the error that it causes.
  struct Row: Sendable, CustomTestStringConvertible {
    let body: String
    let status: Int
    let error: TokenRequestError
    var testDescription: String { "\(self.status) \(self.body.prefix(60))" }

    init(_ body: String, status: Int = 200, _ error: TokenRequestError) {
      self.body = body
      self.status = status
      self.error = error
    }
  }

  @Test(
    "an invalid response or an error status causes an error (RFC 6749 §5.1)",
    arguments: [
      Row("", .invalid(.malformed)), Row("null", .invalid(.malformed)), Row("[]", .invalid(.malformed)),
      Row("{}", .invalid(.malformed)), Row(#"{"access_token":null}"#, .invalid(.malformed)),
      Row(#"{"access_token":"a","token_type":7}"#, .invalid(.malformed)),
      Row(#"{"access_token":"a","refresh_token":7}"#, .invalid(.malformed)),
      Row(#"{"access_token":"a","scope":[1]}"#, .invalid(.malformed)),
      Row(#"{"token_type":"Bearer"}"#, .invalid(.malformed)),
      Row(#"{"access_token":1,"token_type":"Bearer"}"#, .invalid(.malformed)),
      Row(#"{"access_token":"a","token_type":"mac"}"#, .invalid(.tokenTypeNotSupported)),
      Row(#"{"access_token":"a","token_type":"DPoP"}"#, .invalid(.tokenTypeNotSupported)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":-1}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":9223372036854775807}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":"soon"}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":"-1"}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":"inf"}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":true}"#, .invalid(.lifetimeInvalid)),
      Row(#"{"access_token":"a","token_type":"Bearer","expires_in":1e400}"#, .invalid(.malformed)),
      Row(#"{"access_token":"","token_type":"Bearer"}"#, .invalid(.tokenMalformed)),
      Row(#"{"access_token":"a b","token_type":"Bearer"}"#, .invalid(.tokenMalformed)),
      Row(#"{"access_token":"a\r\nX-Evil: 1","token_type":"Bearer"}"#, .invalid(.tokenMalformed)),
      Row(#"{"access_token":"ä","token_type":"Bearer"}"#, .invalid(.tokenMalformed)),
      Row(#"{"access_token":"a","token_type":"Bearer","id_token":"a\u0000"}"#, .invalid(.tokenMalformed)),
      Row(
        #"{"access_token":"\#(String(repeating: "a", count: 70_000))","token_type":"Bearer"}"#, .invalid(.tokenMalformed)),
      Row("<html>", status: 302, .invalid(.unexpectedStatus(302))), Row("", status: 204, .invalid(.unexpectedStatus(204))),
      Row("<html>", status: 404, .invalid(.unexpectedStatus(404))), Row("{}", status: 400, .invalid(.unexpectedStatus(400))),
      Row("", status: 500, .unavailable(status: 500)), Row(#"{"error":"invalid_grant"}"#, status: 503, .unavailable(status: 503)),
      Row(#"{"error":"invalid_grant"}"#, status: 429, .unavailable(status: 429)),
    ])
  func hostile(_ row: Row) {
    let response = TransportResponse.json(row.body, status: HTTPResponse.Status(code: row.status))
    #expect(throws: row.error) { try TokenResponseValidator.validate(response, redacting: []) }
  }

  @Test("a valid response is accepted, and its token type is case-insensitive", arguments: ["Bearer", "bearer", "BEARER"])
  func good(type: String) throws {
    let body = #"{"access_token":"a","token_type":"\#(type)","expires_in":600,"refresh_token":"r","scope":"a b","x":1}"#
    let response = try TokenResponseValidator.validate(.json(body), redacting: [])
    #expect(response.accessToken.reveal() == "a")
    #expect(response.refreshToken?.reveal() == "r")
    #expect(response.expiresIn == 600)
    #expect(response.scope == "a b")
  }

  @Test(
    "a lifetime may be a string, a fraction, or null, and zero or an empty string means unknown",
    arguments: [
      (#""3600""#, 3600), ("3600.9", 3600), (#""3600.5""#, 3600), ("null", nil), ("0", nil), (#""0""#, nil), (#""""#, nil),
    ])
  func lifetimes(_ json: String, _ seconds: Int?) throws {
    let body = #"{"access_token":"a","token_type":"Bearer","expires_in":\#(json)}"#
    #expect(try TokenResponseValidator.validate(.json(body), redacting: []).expiresIn == seconds)
  }

  @Test(
    "a scope may be an array, or separated by commas if it contains no space",
    arguments: [
      (#"["a","b"]"#, "a b"), (#""a,b""#, "a b"), (#""a,b c""#, "a,b c"), (#""a""#, "a"), ("[]", ""), ("null", nil),
    ] as [(String, Scope?)])
  func scopes(_ json: String, _ scope: Scope?) throws {
    let body = #"{"access_token":"a","token_type":"Bearer","scope":\#(json)}"#
    #expect(try TokenResponseValidator.validate(.json(body), redacting: []).scope == scope)
  }

  @Test(
    "without a token type, the token is a bearer token, which is rejected if a DPoP-bound token is required (RFC 9449 §5)",
    arguments: ["", #","token_type":null"#, #","token_type":"""#])
  func noType(_ member: String) throws {
    let response = TransportResponse.json(#"{"access_token":"a"\#(member)}"#)
    #expect(try TokenResponseValidator.validate(response, redacting: []).type == .bearer)
    let key = try SoftwareDPoPKeys().makeKey()
    #expect(throws: TokenRequestError.invalid(.tokenNotBound)) {
      try TokenResponseValidator.validate(response, redacting: [], binding: DPoPBinding(key: key, isRequired: true))
    }
  }

  @Test(
    "a response with status 201 and without the media type of JSON is accepted, and empty members count as absent",
    arguments: ["text/plain", "text/javascript", nil])
  func mediaTypes(_ type: String?) throws {
    let body = #"{"access_token":"a","token_type":"bearer","refresh_token":"","id_token":null}"#
    let response = try TokenResponseValidator.validate(.body(Array(body.utf8), type: type, status: .created), redacting: [])
    #expect(response.refreshToken == nil && response.idToken == nil)
  }

  @Test("additional members are kept, and the description of the response does not contain their values")
  func additional() throws {
    let body = #"{"access_token":"a","instance_url":"https://x.example","authed_user":{"access_token":"nested"}}"#
    let response = try TokenResponseValidator.validate(.json(body), redacting: [])
    #expect(
      response.additional.reveal() == ["instance_url": "https://x.example", "authed_user": ["access_token": "nested"]])
    #expect(!"\(response)".contains("nested"))
  }

  @Test("the texts of an error response are limited in length and safe to print")
  func errorResponse() throws {
    let long = String(repeating: "x", count: 5000)
    let body = #"{"error":"invalid_grant","error_description":"a\u001b[31mb\u202e\n\#(long)"}"#
    let error = #expect(throws: TokenRequestError.self) {
      try TokenResponseValidator.validate(.json(body, status: .badRequest), redacting: [])
    }
    guard case .refused(let errorResponse) = error else { return #expect(Bool(false), "not an error response") }
    #expect(errorResponse.code == .invalidGrant)
    #expect(errorResponse.description?.hasPrefix("a[31mbx") == true)
    #expect(errorResponse.description?.count == 256)
  }

  @Test("a long error code is truncated, and an empty one is replaced")
  func errorCodes() {
    #expect(OAuthErrorResponse(error: String(repeating: "x", count: 500), description: nil).code.description.count == 64)
    #expect(OAuthErrorResponse(error: "\n\u{7}", description: "").code.description == "unknown_error")
    #expect(OAuthErrorResponse(error: "x", description: "\u{200B}\n").description == nil)
  }
}
