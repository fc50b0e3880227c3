import Foundation
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Keys and URLs of request objects")
struct RequestObjectKeyTests {
  /// Returns a valid request object that is signed with this key.
  private func object(_ site: Site, _ key: TestSigningKey) throws -> String {
    var claims: [String: JSONValue] = ["iss": "keyed", "aud": "https://id.example", "exp": .integer(site.now + 60)]
    for (name, value) in AuthorizeParameters(.web).list { claims[name] = .string(value) }
    claims["client_id"] = "keyed"
    return try jwt(key, claims)
  }

  /// Opens an authorization request with the parameter `request` or `request_uri`.
  private func authorize(_ site: Site, _ parameter: String, _ value: String) async throws -> Reply {
    try await TestBrowser(site).open(
      "/authorize?"
        + FormParameters.encode([("client_id", "keyed"), ("redirect_uri", "https://web.example/cb"), (parameter, value)]))
  }

  private func clientKeys(_ jwk: JSONValue) throws -> ClientKeys {
    .inline(String(decoding: try JSONEncoder().encode(["keys": [jwk]]), as: UTF8.self))
  }

  private static func signingKeys() throws -> [TestSigningKey] {
    [.es256(id: "k"), .es384(id: "k"), .edDSA(id: "k"), try .rsa("RS256", id: "k"), try .rsa("PS256", id: "k")]
  }

  @Test(
    "OpenID Connect Registration §2: without request_object_signing_alg, a key may sign with each supported algorithm that fits it"
  )
  func anyAlgorithm() async throws {
    try await withSite { site in
      for key in try Self.signingKeys() {
        var jwk = key.jwk
        jwk["alg"] = nil
        let keys = try self.clientKeys(jwk)
        _ = try await site.addKeyClient(key) { $0.keys = keys }
        #expect(try await self.authorize(site, "request", try self.object(site, key)).isSignInPage, "\(key.algorithm)")
      }
    }
  }

  @Test("RFC 7517 §4.4: a key that names an algorithm cannot be used with another algorithm")
  func namedAlgorithm() async throws {
    try await withSite { site in
      let (rs256Key, ps256Key) = (try TestSigningKey.rsa("RS256", id: "k"), try TestSigningKey.rsa("PS256", id: "k"))
      _ = try await site.addKeyClient(rs256Key)
      #expect(try await self.authorize(site, "request", try self.object(site, rs256Key)).isSignInPage)
      let rejection = try await self.authorize(site, "request", try self.object(site, ps256Key))
      #expect(rejection.parameters["error"] == "invalid_request_object")
    }
  }

  @Test("OpenID Connect Core §6.2: a request_uri must equal a registered one byte for byte, and is fetched without its fragment")
  func fragment() async throws {
    let (transport, key) = (FakeTransport(), TestSigningKey.es256(id: "k"))
    let address = "https://web.example/request.jwt"
    try await withSite(transport: transport) { site in
      _ = try await site.addKeyClient(key) { $0.details.requestURIs = [address + "#qpXaRLh_n93TTR9F252ValdatUQvQiJi5BDub2BeznA"] }
      transport.on(address, respond: .text(try self.object(site, key), status: .ok))
      let uri = address + "#qpXaRLh_n93TTR9F252ValdatUQvQiJi5BDub2BeznA"
      #expect(try await self.authorize(site, "request_uri", uri).isSignInPage)
      for other in [address, address + "#other"] {
        #expect(try await self.authorize(site, "request_uri", other).parameters["error"] == "invalid_request_uri")
      }
      #expect(transport.requests.map(\.url) == [address])
    }
  }
}
