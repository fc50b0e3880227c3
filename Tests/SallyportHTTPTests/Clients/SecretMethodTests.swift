import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Client secrets in the header and in the body")
struct SecretMethodTests {
  /// The parts of a request that contain the client's secret.
  private enum Placement: CaseIterable { case header, body, both }

  private func token(
    _ site: Site, _ client: String, _ secret: String, by placement: Placement, _ fields: [(name: String, value: String)]
  ) async throws -> Reply {
    let basic = BasicAuthorization.value(clientID: client, secret: Secret(secret))
    let body = [(name: "client_id", value: client), (name: "client_secret", value: secret)]
    switch placement {
    case .header: return try await site.post("/token", fields, authorization: basic)
    case .body: return try await site.post("/token", fields + body)
    case .both: return try await site.post("/token", fields + body, authorization: basic)
    }
  }

  private func redemption(_ code: String, _ client: TestClient) -> [(name: String, value: String)] {
    [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", client.requestedURI),
      ("code_verifier", AuthorizeParameters.verifier),
    ]
  }

  @Test(
    """
    RFC 6749 §2.3: a client may send its secret in the header of one request and in the body of another, but not in both \
    parts of the same request
    """,
    arguments: [TestClient.web, .webBasic])
  func eitherWay(client: TestClient) async throws {
    try await withSite { site in
      for (first, second) in [(Placement.header, Placement.body), (.body, .header)] {
        let code = try await site.code(AuthorizeParameters(client))
        let redemption = self.redemption(code, client)
        expectTokenError(
          try await self.token(site, client.rawValue, TestClient.secret, by: .both, redemption), "invalid_request")
        expectTokenError(
          try await self.token(site, client.rawValue, "wrong", by: first, redemption), "invalid_client", status: .unauthorized)
        let tokens = try Tokens(try await self.token(site, client.rawValue, TestClient.secret, by: first, redemption))
        let refresh = [(name: "grant_type", value: "refresh_token"), (name: "refresh_token", value: tokens.refresh)]
        expectTokenError(try await self.token(site, client.rawValue, TestClient.secret, by: .both, refresh), "invalid_request")
        #expect(try await self.token(site, client.rawValue, TestClient.secret, by: second, refresh).status == .ok)
      }
    }
  }

  /// Changes to a client that is registered for `private_key_jwt`. None of the resulting clients is registered to use a
  /// secret, but the test adds one to each client's record.
  static let clientsWithoutSecretMethod: [(String, @Sendable (inout ClientRecord) -> Void)] = [
    ("private_key_jwt", { _ in }),
    (
      "FAPI",
      {
        $0.details.requiresPushedRequests = true
        $0.details.requiresDPoP = true
      }
    ),
    (
      "none",
      {
        $0.type = .public
        $0.authenticationMethod = .none
      }
    ),
  ]

  @Test(
    "RFC 6749 §2.3: a client registered for none, private_key_jwt, or FAPI cannot authenticate with a secret",
    arguments: clientsWithoutSecretMethod)
  func noFallback(name: String, change: @Sendable (inout ClientRecord) -> Void) async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(.es256(id: "1")) {
        $0.secretFingerprint = Fingerprint(of: Secret(TestClient.secret))
        change(&$0)
      }
      let fields = [(name: "grant_type", value: "client_credentials"), (name: "scope", value: "notes")]
      for placement in [Placement.header, .body] {
        let reply = try await self.token(site, "keyed", TestClient.secret, by: placement, fields)
        expectTokenError(reply, "invalid_client", status: .unauthorized)
      }
    }
  }

  @Test("S-10: a native app that an operator registered for one installation must use its secret and PKCE")
  func oneInstallation() async throws {
    try await withSite { site in
      var registration = ClientRegistration(id: "laptop", name: "Notes", kind: .native, redirectURIs: ["http://127.0.0.1/cb"])
      registration.authenticationMethod = .clientSecretBasic
      let (record, secret) = try registration.register(at: site.fixture.clock.now)
      try await site.add(record)
      let secretText = try #require(secret).reveal()
      let request = AuthorizeParameters().with("client_id", "laptop")
      let code = try await site.code(request)
      let changes: [String: String?] = ["client_id": "laptop"]
      expectTokenError(try await site.redeem(code, changing: changes), "invalid_client", status: .unauthorized)
      #expect(try await site.redeem(code, changing: changes.merging(["client_secret": secretText]) { $1 }).status == .ok)
      let withoutChallenge = request.with("code_challenge", nil).with("code_challenge_method", nil)
      #expect(try await TestBrowser(site).authorize(withoutChallenge).parameters["error"] == "invalid_request")
    }
  }
}
