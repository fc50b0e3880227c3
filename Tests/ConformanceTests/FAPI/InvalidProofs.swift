import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import SallyportServer
import SallyportSQLite
import ServerTestSupport
import TestSupport
import Testing

/// The steps of the conformance suite's module `dpop-negative-tests`. Each proof is sent to the protected resource. An
/// invalid proof is also sent to the token endpoint, unless the violated rule concerns the access token.
@Suite("fapi2-security-profile-final-test-plan, fapi2-message-signing-final-test-plan: DPoP proofs that violate a rule")
struct InvalidProofs {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the violated rule concerns the access token, which only requests to a protected resource contain.
    var isAboutToken = false
    /// Returns the `DPoP` fields of a request, given the draft of a valid proof.
    let fields: @Sendable (ProofDraft) throws -> [String]
    var testDescription: String { self.name }

    init(_ name: String, isAboutToken: Bool = false, fields: @escaping @Sendable (ProofDraft) throws -> [String]) {
      self.name = name
      self.isAboutToken = isAboutToken
      self.fields = fields
    }

    /// Returns a row with one proof, which is changed before it is signed.
    static func changed(
      _ name: String, isAboutToken: Bool = false, _ change: @escaping @Sendable (inout ProofDraft) -> Void
    ) -> Row {
      Row(name, isAboutToken: isAboutToken) {
        var draft = $0
        change(&draft)
        return [try draft.signed()]
      }
    }

    static func header(_ name: String, _ member: String, _ value: JSONValue) -> Row {
      .changed(name) { $0.header[member] = value }
    }

    static func claim(_ name: String, _ member: String, _ value: JSONValue, isAboutToken: Bool = false) -> Row {
      .changed(name, isAboutToken: isAboutToken) { $0.claims[member] = value }
    }
  }

  static let invalid: [Row] = [
    Row("two fields") {
      var second = $0
      second.claims["jti"] = "second"
      return [try $0.signed(), try second.signed()]
    },
    Row("not a JWT") { [try $0.signed().replacing(".", with: "")] },
    .header("no typ", "typ", .null), .header("another typ", "typ", "JWT"),
    .header("no alg", "alg", .null), .header("no jwk", "jwk", .null),
    .claim("no jti", "jti", .null), .claim("no htm", "htm", .null), .claim("no htu", "htu", .null),
    .claim("no iat", "iat", .null), .claim("no ath", "ath", .null, isAboutToken: true),
    .changed("unsigned") {
      $0.key = .none(id: nil)
      $0.header["alg"] = "none"
    },
    Row("an invalid signature") {
      var other = $0
      other.claims["jti"] = "other"
      let parts = try $0.signed().split(separator: ".").prefix(2) + other.signed().split(separator: ".").suffix(1)
      return [parts.joined(separator: ".")]
    },
    .changed("a private jwk") {
      var jwk = ProofDraft.publicKey(of: $0.key)
      jwk["d"] = "870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE"
      $0.header["jwk"] = jwk
    },
    .claim("another method", "htm", "PUT"), .claim("another URL", "htu", "https://id.example/other"),
    .claim("the ath of another token", "ath", "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo", isAboutToken: true),
    .changed("another key", isAboutToken: true) {
      let other = TestSigningKey.es256(id: nil)
      $0.key = other
      $0.header["jwk"] = ProofDraft.publicKey(of: other)
    },
  ]

  @Test(
    "fapi2-security-profile-final-dpop-negative-tests: a proof that violates a rule of RFC 9449 §4.3 is rejected",
    arguments: InvalidProofs.invalid)
  func rejects(_ row: Row) async throws {
    try await self.forEachPlan { client, code, draft in
      if !row.isAboutToken {
        expectTokenError(try await self.redeem(code, client, try row.fields(draft("/token", nil))), "invalid_dpop_proof")
      }
      let reply = try await self.redeem(code, client, [try draft("/token", nil).signed()])
      let token = try #require(reply.json["access_token"], "\(reply.body)")
      let errorResponse = try await client.userinfo(token, proofs: try row.fields(draft("/userinfo", token)))
      #expect(errorResponse.status == .unauthorized && errorResponse.headers[.wwwAuthenticate]?.hasPrefix("DPoP") == true)
      #expect(try await client.userinfo(token, proof: try draft("/userinfo", token).signed()).status == .ok)
    }
  }

  static let valid: [Row] = [
    .changed("a query and a fragment") { $0.claims["htu"] = "https://id.example/userinfo?a=b#c" },
    .changed("upper-case scheme and host") { $0.claims["htu"] = "HTTPS://ID.EXAMPLE/userinfo" },
    .changed("the default port") { $0.claims["htu"] = "https://id.example:443/userinfo" },
    .changed("unknown members") {
      $0.header["x-unknown"] = ["a": 1]
      $0.claims["unknown"] = ["b", 2]
    },
  ]

  @Test(
    "fapi2-security-profile-final-dpop-negative-tests: a proof with an equivalent URL or with unknown members is accepted",
    arguments: InvalidProofs.valid)
  func accepts(_ row: Row) async throws {
    try await self.forEachPlan { client, code, draft in
      let token = try #require(
        try await self.redeem(code, client, [try draft("/token", nil).signed()]).json["access_token"])
      #expect(try await client.userinfo(token, proofs: try row.fields(draft("/userinfo", token))).status == .ok)
    }
  }

  @Test(
    """
    fapi2-security-profile-final-dpop-negative-tests: with the server's nonce, the iat of a proof may be an hour off \
    (RFC 9449 §4.3 number 11); such a proof is valid once, and no longer than its nonce
    """, arguments: [-3600, 3600] as [Int64])
  func issuedAt(_ seconds: Int64) async throws {
    try await self.forEachPlan { client, code, draft in
      let token = try #require(
        try await self.redeem(code, client, [try draft("/token", nil).signed()]).json["access_token"])
      // By default, the proof has the server's current nonce. With `.null`, the proof has no nonce.
      func proof(nonce: JSONValue? = nil) throws -> String {
        var proof = draft("/userinfo", token)
        proof.claims["iat"] = .integer(client.site.now + seconds)
        if let nonce { proof.claims["nonce"] = nonce }
        return try proof.signed()
      }
      for nonce: JSONValue in [.null, "invalid"] {
        let errorResponse = try await client.userinfo(token, proof: try proof(nonce: nonce))
        #expect(
          errorResponse.status == .unauthorized && errorResponse.headers[.wwwAuthenticate]?.contains("use_dpop_nonce") == true)
      }
      let (used, unused) = (try proof(), try proof())
      #expect(try await client.userinfo(token, proof: used).status == .ok)
      // A nonce is valid for at most four minutes. Until it expires, the store must not remove the record of the used
      // proof.
      for _ in 0..<5 {
        #expect(try await client.userinfo(token, proof: used).status == .unauthorized)
        client.site.fixture.clock.advance(by: .seconds(60))
        _ = try await client.site.fixture.store.removeExpired(before: client.site.fixture.clock.now, limit: 100)
      }
      #expect(try await client.userinfo(token, proof: unused).status == .unauthorized)
    }
  }

  @Test("fapi2-security-profile-final-dpop-negative-tests: a proof is valid once, and a bound token is rejected without a proof")
  func withoutProof() async throws {
    try await self.forEachPlan { client, code, draft in
      let token = try #require(
        try await self.redeem(code, client, [try draft("/token", nil).signed()]).json["access_token"])
      let proof = try draft("/userinfo", token).signed()
      #expect(try await client.userinfo(token, proof: proof).status == .ok)
      #expect(try await client.userinfo(token, proof: proof).status == .unauthorized)
      #expect(try await client.userinfo(token, proof: nil).status == .unauthorized)
      #expect(try await client.userinfo(token, proof: nil, scheme: "Bearer").status == .unauthorized)
      #expect(try await client.userinfo(token, proof: try draft("/userinfo", token).signed()).status == .ok)
    }
  }

  /// Runs `body` for each plan with a client, a code, and a function that returns the draft of a valid proof for a path
  /// and an access token.
  private func forEachPlan(
    _ body: @Sendable (FAPIClient, String, @Sendable (_ path: String, _ token: String?) -> ProofDraft) async throws -> Void
  ) async throws {
    for plan in FAPIPlan.allCases {
      try await withSite { site in
        let (client, key) = (try await FAPIClient.registered(on: site, for: plan), TestSigningKey.es256(id: nil))
        try await body(client, try await client.code()) { path, token in
          ProofDraft(path, method: token == nil ? "POST" : "GET", accessToken: token, on: site, by: key)
        }
      }
    }
  }

  private func redeem(_ code: String, _ client: FAPIClient, _ proofs: [String]) async throws -> Reply {
    try await client.party.redeem(code, changing: ["code_verifier": AuthorizeParameters.verifier], proofs: proofs)
  }
}
