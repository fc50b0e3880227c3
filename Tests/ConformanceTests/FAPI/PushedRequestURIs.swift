import HTTPTestSupport
import HTTPTypes
import ServerTestSupport
import TestSupport
import Testing

@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: the request_uri of a pushed request")
struct PushedRequestURIs {
  @Test(
    """
    fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds: \
    a request_uri can be opened again until a code is issued
    """, arguments: FAPIPlan.allCases)
  func openedTwice(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let pushed = try await client.push()
      #expect(try await TestBrowser(site).open(try client.authorizationURL(pushed)).isSignInPage)
      _ = try await client.signIn(pushed: pushed)
    }
  }

  @Test(
    "fapi2-security-profile-final-par-attempt-reuse-request_uri: a request_uri cannot be used again once a code is issued",
    arguments: FAPIPlan.allCases)
  func reused(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let pushed = try await client.push()
      _ = try await client.signIn(pushed: pushed)
      expectErrorPage(try await TestBrowser(site).open(try client.authorizationURL(pushed)))
    }
  }

  @Test(
    "fapi2-security-profile-final-par-attempt-to-use-expired-request_uri: a request_uri expires after expires_in seconds",
    arguments: FAPIPlan.allCases)
  func expired(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let pushed = try await client.push()
      let seconds = try #require(pushed.body.firstMatch(of: /"expires_in":([0-9]+)/).flatMap { Int64($0.1) })
      site.fixture.clock.advance(by: .seconds(seconds - 1))
      #expect(try await TestBrowser(site).open(try client.authorizationURL(pushed)).isSignInPage)
      site.fixture.clock.advance(by: .seconds(1))
      expectErrorPage(try await TestBrowser(site).open(try client.authorizationURL(pushed)))
    }
  }

  @Test(
    "fapi2-security-profile-final-par-attempt-to-use-request_uri-for-different-client: a request_uri is bound to its client",
    arguments: FAPIPlan.allCases)
  func otherClient(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let one = try await FAPIClient.registered(on: site, for: plan)
      let other = try await FAPIClient.registered(on: site, for: plan)
      expectErrorPage(try await TestBrowser(site).open(try one.authorizationURL(try await one.push(), client: other.party.id)))
    }
  }

  @Test(
    """
    fapi2-security-profile-final-par-authorization-request-containing-request_uri-form-param: \
    a pushed request with a request_uri is invalid_request
    """, arguments: FAPIPlan.allCases)
  func requestURIInForm(_ plan: FAPIPlan) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      let reply = try await client.push(changing: ["request_uri": "urn:ietf:params:oauth:request_uri:random"])
      expectTokenError(reply, "invalid_request")
    }
  }

  @Test(
    "fapi2-security-profile-final-par-attempt-invalid-http-method: the endpoint for pushed requests allows only POST",
    arguments: [HTTPRequest.Method.get, .put, .patch, .delete])
  func method(_ method: HTTPRequest.Method) async throws {
    try await withSite { site in
      let reply = try await site.send(method, "/par")
      #expect(reply.status == .methodNotAllowed && reply.headers[.allow] == "POST" && reply.json["error"] == "invalid_request")
    }
  }

  /// Parameters in the URL of the authorization endpoint that are missing in the pushed request, or have another value
  /// there.
  static let extras: [(name: String, pushedState: String?, parameter: (name: String, value: String))] = [
    ("another nonce", "af0ifjsldkj", ("nonce", "outside")), ("another state", "af0ifjsldkj", ("state", "outside")),
    ("a state only in the URL", nil, ("state", "outside")),
  ]

  @Test(
    """
    fapi2-security-profile-final-ensure-different-nonce-inside-and-outside-request-object, \
    fapi2-security-profile-final-ensure-different-state-inside-and-outside-request-object, \
    fapi2-security-profile-final-state-only-outside-request-object-not-used: \
    the nonce and the state of the pushed request are used, and a nonce or a state in the authorization endpoint's URL is ignored
    """, arguments: PushedRequestURIs.extras, FAPIPlan.allCases)
  func outside(
    _ row: (name: String, pushedState: String?, parameter: (name: String, value: String)), _ plan: FAPIPlan
  ) async throws {
    try await withSite { site in
      let client = try await FAPIClient.registered(on: site, for: plan)
      // `signIn` expects the state and the nonce of the pushed request.
      _ = try await client.signIn(client.request.with("state", row.pushedState), adding: [row.parameter])
    }
  }
}
