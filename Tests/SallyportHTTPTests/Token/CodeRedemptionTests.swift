import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Redeeming a code")
struct CodeRedemptionTests {
  /// The correct verifier, except for its last character.
  static let otherVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXl"

  struct Mismatch: Sendable {
    let name: String
    let value: String?
    let error: String

    init(_ name: String, _ value: String?, _ error: String = "invalid_grant") {
      self.name = name
      self.value = value
      self.error = error
    }
  }

  /// Changes to a valid redemption, each with the expected error.
  static let mismatches: [Mismatch] = [
    Mismatch("client_id", "claimed"), Mismatch("client_id", "nobody", "invalid_client"),
    Mismatch("client_id", nil, "invalid_client"), Mismatch("client_id", "", "invalid_client"),
    Mismatch("client_secret", "guess", "invalid_client"), Mismatch("code", nil, "invalid_request"),
    Mismatch("code", "", "invalid_request"), Mismatch("code", "x"),
    // The next two codes have a valid length, but an invalid checksum.
    Mismatch("code", "slp_ac_" + String(repeating: "A", count: 49)),
    Mismatch("code", "slp_ac_" + String(repeating: "A", count: 49) + ".grant"), Mismatch("redirect_uri", nil, "invalid_request"),
    Mismatch("redirect_uri", "", "invalid_request"), Mismatch("redirect_uri", "http://127.0.0.1:51005/cb"),
    Mismatch("redirect_uri", "http://127.0.0.1/cb"), Mismatch("redirect_uri", "http://[::1]:51004/cb"),
    Mismatch("redirect_uri", "http://127.0.0.1:51004/cb/"), Mismatch("redirect_uri", "http://127.0.0.1:51004/c%62"),
    Mismatch("redirect_uri", "HTTP://127.0.0.1:51004/cb"), Mismatch("redirect_uri", "http://localhost:51004/cb"),
    Mismatch("redirect_uri", "x"), Mismatch("code_verifier", nil), Mismatch("code_verifier", ""),
    Mismatch("code_verifier", otherVerifier), Mismatch("code_verifier", AuthorizeParameters.challenge),
    Mismatch("code_verifier", String(AuthorizeParameters.verifier.dropLast()), "invalid_request"),
    Mismatch("code_verifier", AuthorizeParameters.verifier + "A"),
    Mismatch("code_verifier", String(repeating: "A", count: 42), "invalid_request"),
    Mismatch("code_verifier", String(repeating: "A", count: 129), "invalid_request"),
    Mismatch("code_verifier", AuthorizeParameters.verifier + "=", "invalid_request"),
    Mismatch("code_verifier", " " + AuthorizeParameters.verifier, "invalid_request"),
    Mismatch("code_verifier", AuthorizeParameters.verifier.lowercased()),
    Mismatch("code_verifier", String(repeating: "\u{E9}", count: 43), "invalid_request"),
  ]

  @Test("S-02, S-35: a redemption that does not match its code gets the standard error, and the code stays valid")
  func mismatch() async throws {
    try await withSite { site in
      for wrong in Self.mismatches {
        let code = try await site.code()
        try await site.expectingSameRowCounts {
          expectTokenError(
            try await site.redeem(code, changing: [wrong.name: wrong.value]), wrong.error,
            status: wrong.error == "invalid_client" ? .unauthorized : .badRequest)
        }
        #expect(try await site.redeem(code).status == .ok, "after \(wrong)")
      }
      #expect(try site.fixture.revocations().isEmpty)
    }
  }

  @Test("RFC 7636 §4.1: a malformed verifier is invalid_request, and the description states the required form")
  func malformedVerifier() async throws {
    try await withSite { site in
      let reply = try await site.redeem(try await site.code(), changing: ["code_verifier": "too-short"])
      expectTokenError(reply, "invalid_request")
      #expect(
        reply.json["error_description"]
          == "The code_verifier must have 43 to 128 characters: letters, digits, and - . _ ~ (RFC 7636 section 4.1).")
    }
  }

  @Test("S-35: client and redirect URI are compared byte for byte, without Unicode normalization")
  func comparedByBytes() async throws {
    try await withSite { site in
      let redirectURI = "http://127.0.0.1:51004/K;x"
      var client = try TestClient.loopback.record
      client.id = ClientID(rawValue: "K")
      client.redirectURIs = [try RedirectURI(redirectURI)]
      let record = client
      try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(record) }
      let code = try await site.code(AuthorizeParameters(redirectURI: redirectURI).with("client_id", "K"))
      // U+212A and U+037E are canonically equivalent to `K` and `;`, so `String` treats them as equal.
      for wrong in ["http://127.0.0.1:51004/\u{212A};x", "http://127.0.0.1:51004/K\u{37E}x"] {
        expectTokenError(
          try await site.redeem(code, changing: ["client_id": "K", "redirect_uri": wrong]), "invalid_grant")
      }
      expectTokenError(
        try await site.redeem(code, changing: ["client_id": "\u{212A}", "redirect_uri": redirectURI]), "invalid_client",
        status: .unauthorized)
      expectErrorPage(
        try await site.send(
          .get, "/authorize?\(AuthorizeParameters(redirectURI: redirectURI).with("client_id", "\u{212A}").query)"))
      let response = try await site.redeem(code, changing: ["client_id": "K", "redirect_uri": redirectURI])
      #expect(response.status == .ok)
    }
  }

  @Test("a code becomes invalid after exactly five failures")
  func endsAfterFiveFailures() async throws {
    try await withSite { site in
      for failures in 4...5 {
        let code = try await site.code()
        for _ in 0..<failures {
          expectTokenError(try await site.redeem(code, changing: ["code_verifier": Self.otherVerifier]), "invalid_grant")
        }
        #expect(try await site.redeem(code).status == (failures == 4 ? .ok : .badRequest))
      }
    }
  }

  @Test("S-22: a code expires after 60 seconds")
  func expires() async throws {
    try await withSite { site in
      let (inTime, tooLate) = (try await site.code(), try await site.code())
      site.fixture.clock.advance(by: .milliseconds(59_999))
      #expect(try await site.redeem(inTime).status == .ok)
      site.fixture.clock.advance(by: .milliseconds(1))
      try await site.expectingSameRowCounts { expectTokenError(try await site.redeem(tooLate), "invalid_grant") }
    }
  }

  @Test(
    "S-22: using a code again revokes its tokens, even much later",
    arguments: [Duration.zero, .seconds(3600)])
  func replay(after delay: Duration) async throws {
    try await withSite { site in
      let code = try await site.code()
      let tokens = try Tokens(try await site.redeem(code))
      site.fixture.clock.advance(by: delay)
      expectTokenError(try await site.redeem(code), "invalid_grant")
      #expect(try site.fixture.revocations() == ["codeReplayed"])
      expectTokenError(try await site.refresh(tokens.refresh), "invalid_grant")
      #expect(try await site.userinfo(tokens.access).status == .unauthorized)
    }
  }

  @Test(
    "S-22: a replay without the correct client, redirect URI, and verifier revokes nothing",
    arguments: [
      ["client_id": "claimed"], ["redirect_uri": "http://127.0.0.1:1/cb"], ["code_verifier": nil],
      ["code_verifier": otherVerifier],
    ] as [[String: String?]])
  func replayWithoutProof(changes: [String: String?]) async throws {
    try await withSite { site in
      let code = try await site.code()
      let tokens = try Tokens(try await site.redeem(code))
      for _ in 0..<6 { expectTokenError(try await site.redeem(code, changing: changes), "invalid_grant") }
      #expect(try site.fixture.revocations().isEmpty)
      #expect(try await site.refresh(tokens.refresh).status == .ok)
      // After failed attempts, a replay with the correct values still revokes the grant.
      expectTokenError(try await site.redeem(code), "invalid_grant")
      #expect(try site.fixture.revocations() == ["codeReplayed"])
    }
  }

  @Test("S-22: of 1,000 simultaneous redemptions one succeeds, and the others revoke its tokens")
  func thousandAtOnce() async throws {
    try await withSite { site in
      let code = try await site.code()
      let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
        for _ in 0..<1_000 { group.addTask { try await site.redeem(code) } }
        return try await group.reduce(into: [Reply]()) { $0.append($1) }
      }
      #expect(replies.count { $0.status == .ok } == 1)
      #expect(replies.count { $0.status == .badRequest && $0.json["error"] == "invalid_grant" } == 999)
      #expect(try site.fixture.rows()["refresh_token"] == 1)
      #expect(try site.fixture.revocations() == ["codeReplayed"])
    }
  }

  @Test("S-04: a verifier for a code without a challenge is an error, and the code can be redeemed without a verifier")
  func verifierWithoutChallenge() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.web).with("code_challenge", nil).with("code_challenge_method", nil)
      let code = try await site.code(request)
      expectTokenError(try await site.redeem(code, .web), "invalid_grant")
      #expect(try await site.redeem(code, .web, changing: ["code_verifier": nil]).status == .ok)
      // Conversely, with a challenge, a confidential client cannot omit the verifier either.
      let withChallenge = try await site.code(AuthorizeParameters(.web))
      expectTokenError(try await site.redeem(withChallenge, .web, changing: ["code_verifier": nil]), "invalid_grant")
      #expect(try await site.redeem(withChallenge, .web).status == .ok)
    }
  }

  /// A static secret is the same in all installations of an app.
  @Test("S-12: a static secret is not required, but must be correct if sent, and does not replace the verifier")
  func staticSecret() async throws {
    try await withSite { site in
      let request = AuthorizeParameters(.staticSecret)
      let code = try await site.code(request)
      let secret: [String: String?] = ["client_secret": TestClient.secret]
      expectTokenError(
        try await site.redeem(code, .staticSecret, changing: ["client_secret": TestClient.secret, "code_verifier": nil]),
        "invalid_grant")
      expectTokenError(
        try await site.redeem(code, .staticSecret, changing: ["client_secret": "wrong"]), "invalid_client", status: .unauthorized)
      #expect(try await site.redeem(code, .staticSecret, changing: secret).status == .ok)
      #expect(try await site.redeem(try await site.code(request), .staticSecret).status == .ok)
    }
  }

  @Test("S-11: a confidential client must authenticate by header or form, but not both")
  func confidential() async throws {
    try await withSite { site in
      func redeem(_ authorization: String?, _ changes: [String: String?]) async throws -> Reply {
        let client: TestClient = authorization == nil ? .web : .webBasic
        let code = try await site.code(AuthorizeParameters(client))
        var fields: [String: String] = [
          "grant_type": "authorization_code", "code": code, "redirect_uri": TestClient.web.requestedURI,
          "code_verifier": AuthorizeParameters.verifier,
        ]
        for (name, value) in changes { fields[name] = value }
        return try await site.post("/token", fields.map { ($0.key, $0.value) }, authorization: authorization)
      }
      func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }
      // In the header, the secret is form-encoded (RFC 6749 §2.3.1). The name of the scheme is case-insensitive.
      let (secret, encoded) = (TestClient.secret, "s3cr%25t%3A%2B%2F+")
      for right in [basic("web-basic:\(encoded)"), "basic " + basic("web-basic:\(encoded)").dropFirst(6)] {
        #expect(try await redeem(right, [:]).status == .ok)
        #expect(try await redeem(right, ["client_id": "web-basic"]).status == .ok)
      }
      #expect(try await redeem(nil, ["client_id": "web", "client_secret": secret]).status == .ok)
      let wrong: [(String?, [String: String?])] = [
        (nil, ["client_id": "web"]), (nil, ["client_id": "web", "client_secret": "x"]), (nil, ["client_secret": secret]),
        (basic("web-basic:x"), [:]), (basic("web-basic:"), [:]), (basic("web-basic"), [:]), (basic(":\(encoded)"), [:]),
        ("Basic !", [:]),
        ("Basic", [:]), ("Bearer x", ["client_id": "web", "client_secret": secret]), (basic("web-basic:%zz"), [:]),
        (basic("nobody:\(encoded)"), [:]), (basic("web-basic:\(encoded)") + ", " + basic("web-basic:\(encoded)"), [:]),
      ]
      for (authorization, changes) in wrong {
        let reply = try await redeem(authorization, changes)
        expectTokenError(reply, "invalid_client", status: .unauthorized)
        #expect(reply.headers[.wwwAuthenticate] == "Basic realm=\"client\"")
      }
      let twoMethods: [[String: String?]] = [
        ["client_secret": secret], ["client_secret": secret, "client_id": "web-basic"], ["client_id": "claimed"],
      ]
      for changes in twoMethods {
        expectTokenError(try await redeem(basic("web-basic:\(encoded)"), changes), "invalid_request")
      }
    }
  }

  @Test("a public client whose library sends Basic authentication with an empty secret gets its tokens")
  func emptyBasic() async throws {
    try await withSite { site in
      let code = try await site.code()
      let fields = [
        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", TestClient.loopback.requestedURI),
        ("code_verifier", AuthorizeParameters.verifier),
      ]
      let authorization = "Basic " + Data("loopback:".utf8).base64EncodedString()
      #expect(try await site.post("/token", fields, authorization: authorization).status == .ok)
    }
  }

  @Test("neither codes nor tokens are stored in plain text")
  func storeHasFingerprints() async throws {
    try await withSite { site in
      let code = try await site.code()
      let tokens = try Tokens(try await site.redeem(code))
      let second = try Tokens(try await site.refresh(tokens.refresh))
      let contents = try site.fixture.contents()
      for secret in [code.secretPart, tokens.refresh.secretPart, second.refresh.secretPart, tokens.access, TestClient.secret] {
        #expect(!contents.contains(secret))
        // The random part of a code or refresh token, between its prefix (7 characters) and its checksum (6), is not
        // stored either. The client secret is too short to have such a part.
        #expect(!contents.contains(String(secret.dropFirst(7).dropLast(6))) || secret == TestClient.secret)
      }
      #expect(code.hasPrefix("slp_ac_") && tokens.refresh.hasPrefix("slp_rt_"))
    }
  }

  @Test("there is no refresh token without offline_access, and no ID token without openid")
  func scopesDecide() async throws {
    try await withSite { site in
      let code = try await site.code(AuthorizeParameters().with("scope", "notes"))
      let response = try await site.redeem(code)
      #expect(response.json["refresh_token"] == nil && response.json["id_token"] == nil && response.json["scope"] == "notes")
      let withoutScope = try await site.redeem(try await site.code(AuthorizeParameters().with("scope", nil)))
      #expect(withoutScope.json["refresh_token"] == nil)
      #expect(withoutScope.json["scope"] == "openid profile email notes")
    }
  }
}

extension String {
  /// The secret part of a code or refresh token. The rest identifies the grant and, in a refresh token,
  /// the token's number.
  var secretPart: String { String(self.prefix { $0 != "." }) }
}
