import Sallyport
import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

@Suite("Authorization responses", .timeLimit(.minutes(1)))
struct AuthorizationResponseTests {
  private static let redirectURI = "http://127.0.0.1:49152/oauth2redirect/id.example"
  private let pending: PendingSignIn
  private let server: TestIssuer

  init() throws {
    self.server = try TestIssuer("https://id.example")
    self.pending = PendingSignIn(
      issuer: self.server.issuer, clientID: "notes", redirectURI: try RedirectURI(Self.redirectURI), scope: .openID)
  }

  private func validate(_ url: String, announcesIssuer: Bool = true) throws -> ValidatedResponse {
    var document = self.server.metadata
    document.authorizationResponseIssParameterSupported = announcesIssuer
    let metadata = try ProviderMetadata(document, expecting: self.server.issuer)
    return try AuthorizationResponse.validate(callbackURL: Secret(self.fill(url)), pending: self.pending, metadata: metadata)
  }

  /// Replaces `{R}` with the redirect URI, `{S}` with the parameter `state`, and `{I}` with the parameter `iss`.
  private func fill(_ url: String) -> String {
    url.replacing("{R}", with: Self.redirectURI).replacing("{S}", with: "state=\(self.pending.state.reveal())")
      .replacing("{I}", with: "iss=https%3A%2F%2Fid.example")
  }

  @Test("a response that matches the request is accepted with its code")
  func good() throws {
    let response = try self.validate("{R}?code=abc&{S}&{I}")
    #expect(response.code.reveal() == "abc")
    #expect(AuthorizationResponse.isResponse(self.fill("{R}?code=abc&{S}&{I}"), to: self.pending))
  }

  /// A callback URL, the error that it causes, and whether the sign-in stops waiting because of it.
  struct Row: Sendable, CustomTestStringConvertible {
    let url: String
    let error: AuthorizationResponseError
    let isResponse: Bool
    var testDescription: String { self.url }

    init(_ url: String, _ error: AuthorizationResponseError, isResponse: Bool = false) {
      self.url = url
      self.error = error
      self.isResponse = isResponse
    }
  }

  @Test(
    "C-18: a callback URL is rejected if it is malformed, has another scheme, host, port, or path, or has user information or a fragment",
    arguments: [
      Row("https://127.0.0.1:49152/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://localhost:49152/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://[::1]:49152/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49153/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/id.example/?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/other.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/ID.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/%69d.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/x/../oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/favicon.ico", .wrongRedirectURI),
      Row("http://user@127.0.0.1:49152/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("HTTP://127.0.0.1:49152/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/id.example?code=abc&{S}&{I}#fragment", .wrongRedirectURI),
      Row("com.example.app:/oauth2redirect/id.example?code=abc&{S}&{I}", .wrongRedirectURI),
      Row("http://127.0.0.1:49152/oauth2redirect/id.example?code=a b&{S}&{I}", .malformed),
      Row("http://127.0.0.1:049152/oauth2redirect/id.example?code=abc&{S}&{I}", .malformed),
      Row("/oauth2redirect/id.example?code=abc&{S}&{I}", .malformed),
      Row("", .malformed),
      Row("{R}?code=%zz&{S}&{I}", .malformed),
      Row("{R}?code=%ff&{S}&{I}", .malformed),
      Row("{R}?code=\(String(repeating: "a", count: 20_000))&{S}&{I}", .malformed),
    ])
  func redirectURI(_ row: Row) throws {
    try self.check(row)
  }

  @Test(
    "C-16: a response or error with an unknown, missing, or modified state, or with a repeated parameter, is rejected",
    arguments: [
      Row("{R}?code=abc&{I}", .stateMissing),
      Row("{R}?code=abc&state=&{I}", .stateMissing),
      Row("{R}?code=abc&state=other&{I}", .stateMismatch),
      Row("{R}?code=abc&{S}A&{I}", .stateMismatch),
      Row("{R}?code=abc&{S}%20&{I}", .stateMismatch),
      Row("{R}?code=abc&{S}&{S}&{I}", .repeatedParameter),
      Row("{R}?code=abc&{S}&state=other&{I}", .repeatedParameter),
      Row("{R}?code=abc&{S}&st%61te=other&{I}", .repeatedParameter),
      Row("{R}?code=abc&code=def&{S}&{I}", .repeatedParameter),
      Row("{R}?error=access_denied&error=access_denied&{S}&{I}", .repeatedParameter),
      Row("{R}?error=access_denied", .stateMissing),
      Row("{R}?error=access_denied&state=guess&{I}", .stateMismatch),
      Row("{R}?error=access_denied&error_description=you+lose&state=", .stateMissing),
      Row("{R}", .stateMissing),
      Row("{R}?", .stateMissing),
    ])
  func state(_ row: Row) throws {
    try self.check(row)
  }

  @Test("C-16: the state is case-sensitive")
  func stateCase() throws {
    let state = self.pending.state.reveal()
    let stateInOtherCase = state.uppercased() == state ? state.lowercased() : state.uppercased()
    #expect(throws: AuthorizationResponseError.stateMismatch) {
      try self.validate("{R}?code=abc&state=\(stateInOtherCase)&{I}")
    }
  }

  @Test(
    "C-19: a wrong, missing, or repeated iss is rejected, in error responses too",
    arguments: [
      Row("{R}?code=abc&{S}&iss=https%3A%2F%2Fevil.example", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}&iss=https%3A%2F%2Fid.example%2F", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}&iss=https%3A%2F%2FID.example", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}&iss=https%3A%2F%2Fid.example%3A443", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}&iss=http%3A%2F%2Fid.example", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}", .issuerMissing, isResponse: true),
      Row("{R}?code=abc&{S}&iss=", .issuerMissing, isResponse: true),
      Row("{R}?error=access_denied&{S}", .issuerMissing, isResponse: true),
      Row("{R}?error=access_denied&{S}&iss=https%3A%2F%2Fevil.example", .issuerMismatch, isResponse: true),
      Row("{R}?code=abc&{S}&{I}&{I}", .repeatedParameter),
      Row("{R}?code=abc&{S}&{I}&iss=https%3A%2F%2Fevil.example", .repeatedParameter),
    ])
  func issuer(_ row: Row) throws {
    try self.check(row)
  }

  @Test("C-19: if the server does not announce iss, a response without iss is accepted, and one with a wrong iss is rejected")
  func issuerNotAnnounced() throws {
    #expect(try self.validate("{R}?code=abc&{S}", announcesIssuer: false).code.reveal() == "abc")
    #expect(throws: AuthorizationResponseError.issuerMismatch) {
      try self.validate("{R}?code=abc&{S}&iss=https%3A%2F%2Fevil.example", announcesIssuer: false)
    }
  }

  @Test("C-04: tokens in a response are ignored; without a code, the response is rejected")
  func noImplicit() throws {
    try self.check(Row("{R}?access_token=abc&token_type=Bearer&{S}&{I}", .codeMissing, isResponse: true))
    try self.check(Row("{R}?code=&id_token=abc&{S}&{I}", .codeMissing, isResponse: true))
  }

  @Test("the server's error takes precedence over a code, and its text contains no control characters")
  func errorResponse() throws {
    let error = #expect(throws: AuthorizationResponseError.self) {
      try self.validate("{R}?error=access_denied&error_description=no%0D%0A%1B%5B31m%E2%80%AEway&code=abc&{S}&{I}")
    }
    guard case .refused(let errorResponse) = error else { throw ExpectationFailed() }
    #expect(errorResponse.code == .accessDenied)
    // The escape character and the other invisible characters are removed.
    #expect(errorResponse.description == "no[31mway")
  }

  @Test("the error does not contain the state, even if the server repeats it")
  func errorWithState() throws {
    let state = self.pending.state.reveal()
    let error = #expect(throws: AuthorizationResponseError.self) {
      try self.validate("{R}?error=server_error&error_description=bad+state+\(state)&{S}&{I}")
    }
    #expect(error.map { !"\($0)".contains(state) } == true)
  }

  @Test("C-18: the redirect URI's own query must precede the parameters of the response")
  func ownQuery() throws {
    let uri = "com.example.app:/cb?tenant=1"
    let pending = PendingSignIn(
      issuer: self.server.issuer, clientID: "notes", redirectURI: try RedirectURI(uri), scope: .openID)
    let state = pending.state.reveal()
    #expect(AuthorizationResponse.isResponse("\(uri)&code=abc&state=\(state)", to: pending))
    #expect(
      !AuthorizationResponse.isResponse("com.example.app:/cb?code=abc&state=\(state)", to: pending))
    #expect(
      !AuthorizationResponse.isResponse("com.example.app:/cb?tenant=12&state=\(state)", to: pending))
  }

  private func check(_ row: Row) throws {
    #expect(throws: row.error) { try self.validate(row.url) }
    #expect(AuthorizationResponse.isResponse(self.fill(row.url), to: self.pending) == row.isResponse)
  }

  private struct ExpectationFailed: Error {}
}
