import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// The server removes expired rows while it runs. It must keep the record of a used proof or assertion until the proof
/// or assertion itself has expired.
@Suite("Replays after expired rows were removed")
struct ReplayTests {
  @Test("RFC 9449 §11.1: a used DPoP proof is rejected until its nonce expires")
  func proof() async throws {
    try await withSite { site in
      let key = try SoftwareDPoPKeys().makeKey()
      let proof = try site.proof(key, "/token")
      #expect(try await site.post("/token", site.redemption(try await site.code()), proof: proof).status == .ok)
      // A new nonce begins when the test clock starts, so the nonce of this proof is valid for the maximum time, 240
      // seconds. With a valid nonce, the age of a proof does not matter.
      site.fixture.clock.advance(by: .seconds(239))
      _ = try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 1000)
      let code = try await site.code()
      expectTokenError(try await site.post("/token", site.redemption(code), proof: proof), "invalid_dpop_proof")
      #expect(try await site.post("/token", site.redemption(code), proof: try site.proof(key, "/token")).status == .ok)
    }
  }

  @Test("RFC 7523 §3: a used client assertion is rejected until the clock tolerance after its expiry has passed")
  func assertion() async throws {
    try await withSite { site in
      _ = try await site.addKeyClient(ClientAssertionTests.key)
      let assertion = try jwt(ClientAssertionTests.key, site.assertionClaims())
      let fields: [(name: String, value: String)] = [
        ("grant_type", "client_credentials"), ("client_assertion_type", Site.assertionType), ("client_assertion", assertion),
      ]
      #expect(try await site.post("/token", fields).status == .ok)
      // The assertion expires after 60 seconds, and the clock tolerance is 30 seconds.
      site.fixture.clock.advance(by: .seconds(89))
      _ = try await site.fixture.store.removeExpired(before: site.fixture.clock.now, limit: 1000)
      expectTokenError(try await site.post("/token", fields), "invalid_client", status: .unauthorized)
      // An unused assertion is still accepted 29 seconds after its expiry.
      let unused = try jwt(
        ClientAssertionTests.key, site.assertionClaims("unused").merging(["exp": .integer(site.now - 29)]) { $1 })
      let other = fields.dropLast() + [("client_assertion", unused)]
      #expect(try await site.post("/token", Array(other)).status == .ok)
    }
  }
}
