import SallyportProtocol
import SallyportRemote
import TestSupport

/// An issuer, its published keys, and a verifier for the client `notes`.
struct IDTokenFixture: Sendable {
  let issuer: TestIssuer
  let transport = FakeTransport()
  let clock = TestClock()
  let clientID = "notes"

  init() throws {
    self.issuer = try TestIssuer()
    self.issuer.publish(on: self.transport)
  }

  func keys() throws -> JWKSCache {
    JWKSCache(url: try EndpointURL(self.issuer.jwksURL), transport: self.transport, now: self.clock.source)
  }

  func verifier(
    allowing algorithms: [String]? = ["ES256", "RS256"], clockSkew: Duration = .seconds(60)
  ) throws -> IDTokenVerifier {
    IDTokenVerifier(
      issuer: self.issuer.issuer, clientID: self.clientID, keys: try self.keys(), allowedAlgorithms: algorithms,
      leeway: clockSkew, now: self.clock.source)
  }

  /// The claims of a valid token, with the nonce `n-1`.
  var claims: JSONValue {
    self.issuer.claims(clientID: self.clientID, nonce: "n-1", now: self.clock.now)
  }

  /// Returns valid claims with some changes. `nil` removes a claim.
  func claims(_ changes: [String: JSONValue?]) -> JSONValue {
    var claims = self.claims
    for (name, value) in changes { claims[name] = value }
    return claims
  }
}
