import Foundation
import HTTPTestSupport
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import TestSupport

/// A DPoP proof that a test can make invalid before it is signed.
struct ProofDraft: Sendable {
  /// The members of the header. Members that are null are omitted.
  var header: [String: JSONValue]
  /// The claims. Claims that are null are omitted.
  var claims: [String: JSONValue]
  var key: TestSigningKey

  /// Creates the draft of a valid proof for a request.
  init(_ path: String, method: String, accessToken: String? = nil, on site: Site, by key: TestSigningKey) {
    self.key = key
    self.header = ["typ": "dpop+jwt", "jwk": Self.publicKey(of: key)]
    self.claims = [
      "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string("https://id.example\(path)"),
      "iat": .integer(site.now), "nonce": .string(site.fixture.server.nonces.current),
      "ath": accessToken.map { .string(sha256($0)) } ?? .null,
    ]
  }

  /// Returns the public key as a JWK, without the members that a proof does not need.
  static func publicKey(of key: TestSigningKey) -> JSONValue {
    var jwk = key.jwk
    for name in ["use", "alg", "kid"] { jwk[name] = nil }
    return jwk
  }

  func signed() throws -> String {
    // A test sets `alg` to null for a header without this member. If a test does not set it, use the key's algorithm.
    var header = self.header
    if header["alg"] == nil { header["alg"] = .string(self.key.algorithm) }
    let encoder = JSONEncoder()
    let parts = try [header, self.claims].map { Base64URL.encode(try encoder.encode($0.filter { $0.value != .null })) }
    let input = parts.joined(separator: ".")
    return "\(input).\(Base64URL.encode(try self.key.sign(Array(input.utf8))))"
  }
}
