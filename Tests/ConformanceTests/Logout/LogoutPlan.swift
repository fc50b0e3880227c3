import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The modules of the RP-Initiated Logout plan of the OpenID Foundation's conformance suite.
@Suite("oidcc-rp-initiated-logout-certification-test-plan")
struct LogoutPlan {
  static let postLogoutURI = "https://web.example/bye"

  /// A user who is signed in to a client that an operator has registered with a post-logout redirect URI.
  struct SignedInUser {
    let party: RelyingParty
    let browser: TestBrowser
    let idToken: String
  }

  /// Registers ``TestClient/web`` with a post-logout redirect URI, and signs a user in to this client.
  static func signedInUser(_ site: Site, _ change: (inout ClientRecord) -> Void = { _ in }) async throws -> SignedInUser {
    var client = try TestClient.web.record
    client.details.postLogoutRedirectURIs = [Self.postLogoutURI]
    change(&client)
    try await site.add(client)
    let (party, browser) = (RelyingParty.configured(on: site), TestBrowser(site))
    return SignedInUser(party: party, browser: browser, idToken: try await party.signIn(with: browser).idToken.text)
  }

  /// Returns the URL of the end-session endpoint with these parameters.
  static func endSessionURL(_ fields: [(name: String, value: String)]) -> String {
    fields.isEmpty ? "/end-session" : "/end-session?" + FormParameters.encode(fields)
  }

  /// Whether `prompt=none` fails because no user is signed in.
  static func isSignedOut(_ user: SignedInUser) async throws -> Bool {
    let reply = try await user.browser.authorize(user.party.request.with("prompt", "none"))
    return reply.parameters["error"] == "login_required"
  }

  /// Opens the end-session endpoint, and confirms the sign-out if the server asks the user.
  static func signOut(_ user: SignedInUser, _ fields: [(name: String, value: String)]) async throws -> Reply {
    let page = try await user.browser.open(Self.endSessionURL(fields))
    return page.formAction == nil ? page : try await user.browser.submit(page, [])
  }

  @Test(
    """
    oidcc-rp-initiated-logout, oidcc-rp-initiated-logout-no-state: the user is signed out and returns to the client, with the \
    request's state if it has one
    """,
    arguments: ["a state", nil])
  func completeFlow(state: String?) async throws {
    try await withSite { site in
      let user = try await Self.signedInUser(site)
      #expect(try await !Self.isSignedOut(user))
      var fields: [(name: String, value: String)] = [
        ("id_token_hint", user.idToken), ("post_logout_redirect_uri", Self.postLogoutURI),
      ]
      if let state { fields.append(("state", state)) }
      let reply = try await Self.signOut(user, fields)
      #expect(reply.status == .seeOther && reply.location?.prefix { $0 != "?" } == Self.postLogoutURI[...])
      #expect(reply.parameters == (state.map { ["state": $0] } ?? [:]))
      #expect(try await Self.isSignedOut(user))
    }
  }

  /// Requests without a post-logout redirect URI, and whether they have an ID token hint and a state.
  static let withoutRedirect: [(name: String, hint: Bool, state: Bool)] = [
    ("no parameters", false, false), ("no post_logout_redirect_uri", true, false), ("only a state", false, true),
  ]

  @Test(
    """
    oidcc-rp-initiated-logout-no-params, oidcc-rp-initiated-logout-no-post-logout-redirect-uri, \
    oidcc-rp-initiated-logout-only-state: the user is signed out and sees a page that says so
    """, arguments: LogoutPlan.withoutRedirect)
  func endsWithoutRedirect(_ name: String, hint: Bool, state: Bool) async throws {
    try await withSite { site in
      let user = try await Self.signedInUser(site)
      let fields = (hint ? [("id_token_hint", user.idToken)] : []) + (state ? [("state", "a state")] : [])
      let reply = try await Self.signOut(user, fields.map { (name: $0.0, value: $0.1) })
      #expect(reply.isPage && reply.location == nil && reply.body.contains("signed out"))
      #expect(try await Self.isSignedOut(user))
    }
  }

  enum Mistake: String, CaseIterable {
    case unregisteredURI, addedQuery, noHint, unsignedHint, foreignSignature, foreignHint

    /// Makes the mistake in the parameters of a valid request.
    func apply(to fields: inout [String: String], _ user: SignedInUser) throws {
      let claims = try #require(user.idToken.split(separator: ".").dropFirst().first)
      switch self {
      case .unregisteredURI: fields["post_logout_redirect_uri"] = "https://web.example/other"
      case .addedQuery: fields["post_logout_redirect_uri"] = LogoutPlan.postLogoutURI + "?foo=bar"
      case .noHint: fields["id_token_hint"] = nil
      case .unsignedHint:
        // The header names the algorithm "none", and the signature is removed. The claims stay the same.
        let header = try #require(user.idToken.split(separator: ".").first.flatMap { Base64URL.decode($0) })
        let unsigned = String(decoding: header, as: UTF8.self).replacing(/"alg":"[^"]*"/, with: #""alg":"none""#)
        #expect(unsigned.contains(#""alg":"none""#))
        fields["id_token_hint"] = "\(Base64URL.encode(Array(unsigned.utf8))).\(claims)."
      case .foreignSignature:
        // The header and the claims stay the same.
        let input = user.idToken.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = try TestSigningKey.es256(id: nil).sign(Array(input.utf8))
        fields["id_token_hint"] = "\(input).\(Base64URL.encode(signature))"
      case .foreignHint:
        let payload: [String: JSONValue] = [
          "iss": "https://suite.example", "sub": "user", "aud": "client", "exp": 1_900_000_000, "iat": 1_800_000_000,
        ]
        fields["id_token_hint"] = try jwt(.es256(id: "suite"), payload)
      }
    }
  }

  @Test(
    """
    oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri, \
    oidcc-rp-initiated-logout-no-id-token-hint, oidcc-rp-initiated-logout-modified-id-token-hint, \
    oidcc-rp-initiated-logout-bad-id-token-hint: an invalid request gets an error page without a form, \
    and the user stays signed in
    """, arguments: LogoutPlan.Mistake.allCases)
  func refuses(_ mistake: Mistake) async throws {
    try await withSite { site in
      let user = try await Self.signedInUser(site)
      let valid: [String: String] = ["id_token_hint": user.idToken, "post_logout_redirect_uri": Self.postLogoutURI, "state": "s"]
      func open(_ fields: [String: String]) async throws -> Reply {
        try await user.browser.open(Self.endSessionURL(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
      }
      var fields = valid
      try mistake.apply(to: &fields, user)
      let errorPage = try await open(fields)
      expectErrorPage(errorPage)
      #expect(errorPage.formAction == nil && !errorPage.body.contains(Self.postLogoutURI))
      #expect(try await !Self.isSignedOut(user))
      #expect(try await user.browser.submit(try await open(valid), []).location == Self.postLogoutURI + "?state=s")
    }
  }

  @Test(
    """
    RP-Initiated Logout §2: if the ID token "does not belong to the current OP session with the RP and/or currently logged in \
    End-User", the server asks the user, and signs nobody out before they confirm
    """, arguments: ["somebody else", "another session"])
  func asksAboutForeignHints(_ name: String) async throws {
    try await withSite { site in
      let user = try await Self.signedInUser(site)
      let request = user.party.request
      let reply = try await TestBrowser(site).complete(request, as: name == "somebody else" ? "bob" : "ada")
      let foreign = try await user.party.receive(reply, to: request)
      let page = try await user.browser.open(
        Self.endSessionURL([("id_token_hint", foreign.idToken.text), ("post_logout_redirect_uri", Self.postLogoutURI)]))
      #expect(page.isPage && page.formAction != nil)
      #expect(page.body.contains(name == "somebody else" ? "a different account" : "a different sign-in of yours"))
      #expect(try await !Self.isSignedOut(user))
      #expect(try await user.browser.submit(page, []).location == Self.postLogoutURI)
      #expect(try await Self.isSignedOut(user))
    }
  }
}
