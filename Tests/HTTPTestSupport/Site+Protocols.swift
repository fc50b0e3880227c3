import Foundation
import HTTPTypes
package import SallyportProtocol
import SallyportSQLite
package import SallyportServer
package import ServerTestSupport
package import TestSupport
import Testing

/// Returns a JWT with these claims, signed with this key. `changes` adds or replaces header parameters.
package func jwt(_ key: TestSigningKey, header changes: [String: JSONValue] = [:], _ claims: [String: JSONValue]) throws -> String
{
  var header: [String: JSONValue] = ["alg": .string(key.algorithm)]
  header["kid"] = key.id.map { .string($0) }
  header.merge(changes) { $1 }
  let encoder = JSONEncoder()
  let input = "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
  return "\(input).\(Base64URL.encode(try key.sign(Array(input.utf8))))"
}

extension Site {
  package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// The test clock's time, in seconds since 1970.
  package var now: Int64 { self.fixture.clock.now.seconds }

  /// Adds a client, or updates it if its ID is in use.
  package func add(_ client: ClientRecord) async throws {
    try await self.fixture.store.write { (tx) throws(StoreError) in
      if try !tx.update(client) { try tx.insert(client) }
    }
    self.fixture.server.cache.invalidate()
  }

  /// Adds a confidential web client, `keyed`, that authenticates with `private_key_jwt` and this key.
  package func addKeyClient(_ key: TestSigningKey, _ change: (inout ClientRecord) -> Void = { _ in }) async throws -> ClientRecord
  {
    let keys = try JSONEncoder().encode(["keys": [key.jwk]])
    var client = ClientRecord(
      id: ClientID(rawValue: "keyed"), name: "Keyed", type: .confidential, applicationType: .web,
      redirectURIs: [try RedirectURI("https://web.example/cb")], scope: "openid profile email offline_access notes",
      authenticationMethod: .privateKeyJWT, keys: .inline(String(decoding: keys, as: UTF8.self)),
      grantTypes: [.authorizationCode, .refreshToken, .clientCredentials], createdAt: Timestamp(seconds: 1))
    change(&client)
    try await self.add(client)
    return client
  }

  /// Returns the claims of a valid client assertion of the client `keyed`.
  package func assertionClaims(_ jti: String = UUID().uuidString) -> [String: JSONValue] {
    [
      "iss": "keyed", "sub": "keyed", "aud": "https://id.example", "exp": .integer(self.now + 60), "jti": .string(jti),
      "iat": .integer(self.now),
    ]
  }

  /// Posts a form with a DPoP proof.
  package func post(
    _ path: String, _ fields: [(name: String, value: String)], proof: String
  ) async throws -> Reply {
    var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    headers[.dpop] = proof
    return try await self.send(.post, path, headers: headers, body: Array(FormParameters.encode(fields).utf8))
  }

  /// Returns a DPoP proof by this key for one request. The default nonce, `good`, stands for the server's current
  /// nonce.
  package func proof(
    _ key: any DPoPKey, _ path: String, method: String = "POST", accessToken: String? = nil, nonce: String? = "good"
  ) throws -> String {
    let target = try #require(DPoPTarget(method: method, url: "https://id.example\(path)"))
    let nonce = nonce == "good" ? self.fixture.server.nonces.current : nonce
    return try DPoPProof.make(
      for: target, accessToken: accessToken.map { Secret($0) }, nonce: nonce, at: self.fixture.clock.now, by: key
    ).reveal()
  }

  /// Returns a form that redeems a code, without client authentication.
  package func redemption(_ code: String, _ client: TestClient = .loopback) -> [(name: String, value: String)] {
    [
      ("grant_type", "authorization_code"), ("code", code), ("client_id", client.rawValue),
      ("redirect_uri", client.requestedURI), ("code_verifier", AuthorizeParameters.verifier),
    ]
  }
}
