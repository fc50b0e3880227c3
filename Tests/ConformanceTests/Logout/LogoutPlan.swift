import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("oidcc-rp-initiated-logout-certification-test-plan")
struct LogoutPlan {
  static let goodbye = "https://web.example/bye"

  /// Somebody who has signed in to the client of an operator, which registered where to go afterwards.
  struct SignedIn {
    let party: RelyingParty
    let browser: TestBrowser
    let idToken: String
  }

  static func signedIn(_ site: Site, _ change: (inout ClientRecord) -> Void = { _ in }) async throws -> SignedIn {
    var client = try TestClient.web.record
    client.details.postLogoutRedirectURIs = [Self.goodbye]
    change(&client)
    try await site.add(client)
    let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
    return SignedIn(party: party, browser: browser, idToken: try await party.signIn(with: browser).idToken.text)
  }

  static func endSession(_ fields: [(name: String, value: String)]) -> String {
    fields.isEmpty ? "/end-session" : "/end-session?" + FormParameters.encode(fields)
  }

  /// Whether `prompt=none` says that nobody is signed in.
  static func isSignedOut(_ person: SignedIn) async throws -> Bool {
    let reply = try await person.browser.authorize(person.party.request.with("prompt", "none"))
    return reply.answer["error"] == "login_required"
  }

  /// The person agrees where they are asked.
  static func leave(_ person: SignedIn, _ fields: [(name: String, value: String)]) async throws -> Reply {
    let page = try await person.browser.open(Self.endSession(fields))
    return page.formAction == nil ? page : try await person.browser.submit(page, [])
  }

  @Test(
    "oidcc-rp-initiated-logout, oidcc-rp-initiated-logout-no-state: signed out, and back at the client with its state, if any",
    arguments: ["a state", nil])
  func wholeWay(state: String?) async throws {
    try await withSite { site in
      let person = try await Self.signedIn(site)
      #expect(try await !Self.isSignedOut(person))
      var fields: [(name: String, value: String)] = [
        ("id_token_hint", person.idToken), ("post_logout_redirect_uri", Self.goodbye),
      ]
      if let state { fields.append(("state", state)) }
      let reply = try await Self.leave(person, fields)
      #expect(reply.status == .seeOther && reply.location?.prefix { $0 != "?" } == Self.goodbye[...])
      #expect(reply.answer == (state.map { ["state": $0] } ?? [:]))
      #expect(try await Self.isSignedOut(person))
    }
  }

  /// Requests without a place to go to: the person is signed out and told so.
  static let withoutRedirect: [(name: String, hint: Bool, state: Bool)] = [
    ("no parameters", false, false), ("no post_logout_redirect_uri", true, false), ("only a state", false, true),
  ]

  @Test(
    """
    oidcc-rp-initiated-logout-no-params, oidcc-rp-initiated-logout-no-post-logout-redirect-uri, \
    oidcc-rp-initiated-logout-only-state: signed out, with a page that says so
    """, arguments: LogoutPlan.withoutRedirect)
  func staysHere(_ name: String, hint: Bool, state: Bool) async throws {
    try await withSite { site in
      let person = try await Self.signedIn(site)
      let fields = (hint ? [("id_token_hint", person.idToken)] : []) + (state ? [("state", "a state")] : [])
      let reply = try await Self.leave(person, fields.map { (name: $0.0, value: $0.1) })
      #expect(reply.isPage && reply.location == nil && reply.body.contains("signed out"))
      #expect(try await Self.isSignedOut(person))
    }
  }

  static let refusals = ["unregistered", "query added", "no hint", "unsigned hint", "another's hint"]

  @Test(
    """
    oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri, \
    oidcc-rp-initiated-logout-no-id-token-hint, oidcc-rp-initiated-logout-modified-id-token-hint, \
    oidcc-rp-initiated-logout-bad-id-token-hint: the person is sent nowhere, and nobody is signed out unasked
    """, arguments: LogoutPlan.refusals)
  func leadsNowhere(_ name: String) async throws {
    try await withSite { site in
      let person = try await Self.signedIn(site)
      let claims = try #require(person.idToken.split(separator: ".").dropFirst().first)
      var fields: [String: String] = ["id_token_hint": person.idToken, "post_logout_redirect_uri": Self.goodbye, "state": "s"]
      switch name {
      case "unregistered": fields["post_logout_redirect_uri"] = "https://web.example/other"
      case "query added": fields["post_logout_redirect_uri"] = Self.goodbye + "?foo=bar"
      case "no hint": fields["id_token_hint"] = nil
      case "unsigned hint": fields["id_token_hint"] = "\(Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))).\(claims)."
      default:
        fields["id_token_hint"] = try jwt(
          .es256(id: "1"),
          ["iss": "https://id.example", "sub": "acct-1", "aud": "web", "exp": .integer(site.now + 60), "iat": .integer(site.now)])
      }
      let reply = try await person.browser.open(Self.endSession(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
      #expect(reply.isPage && reply.location == nil)
      #expect(try await !Self.isSignedOut(person))
    }
  }

  @Test(
    """
    RP-Initiated Logout §2: the person is asked where the ID token "does not belong to the current OP session with the RP and/or \
    currently logged in End-User", and is signed out only by their own answer
    """, arguments: ["somebody else", "another session"])
  func asksAboutForeignHints(_ name: String) async throws {
    try await withSite { site in
      let person = try await Self.signedIn(site)
      let request = person.party.request
      let reply = try await TestBrowser(site).complete(request, as: name == "somebody else" ? "bob" : "ada")
      let foreign = try await person.party.receive(reply, to: request)
      let page = try await person.browser.open(
        Self.endSession([("id_token_hint", foreign.idToken.text), ("post_logout_redirect_uri", Self.goodbye)]))
      #expect(page.isPage && page.formAction != nil)
      #expect(page.body.contains(name == "somebody else" ? "another account than yours" : "another sign-in of yours"))
      #expect(try await !Self.isSignedOut(person))
      #expect(try await person.browser.submit(page, []).location == Self.goodbye)
      #expect(try await Self.isSignedOut(person))
    }
  }
}
