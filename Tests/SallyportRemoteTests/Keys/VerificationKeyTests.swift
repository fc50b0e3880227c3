import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

struct VerificationKeyTests {
  private static let url = "https://id.example/jwks"

  private static func cache(_ keys: JSONValue) throws -> JWKSCache {
    let transport = FakeTransport()
    transport.on(Self.url, respond: .json(encoding: keys))
    return JWKSCache(url: try EndpointURL(Self.url), transport: transport)
  }

  @Test(
    "C-29: a valid signature is accepted, and a signature of another message or with the wrong length is rejected",
    arguments: ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA"])
  func algorithms(algorithm: String) async throws {
    let makers: [String: (String) throws -> TestSigningKey] = [
      "ES256": { .es256(id: $0) }, "ES384": { .es384(id: $0) }, "ES512": { .es512(id: $0) },
      "RS256": { try .rsa(id: $0) }, "PS256": { try .rsa("PS256", id: $0) }, "EdDSA": { .edDSA(id: $0) },
    ]
    let make = try #require(makers[algorithm])
    let key = try make("k")
    let verification = try await Self.cache(TestIssuer.jwks([key])).key(id: "k", algorithm: algorithm)
    let message = Array("message".utf8)
    let signature = try key.sign(message)
    #expect(verification.isValid(signature: signature, of: message))
    #expect(!verification.isValid(signature: signature, of: Array("another message".utf8)))
    #expect(!verification.isValid(signature: [], of: message))
    #expect(!verification.isValid(signature: Array(signature.dropLast()), of: message))
    #expect(!verification.isValid(signature: signature + [0], of: message))
    #expect(!verification.isValid(signature: Array(repeating: 0, count: signature.count), of: message))
  }

  @Test("C-29: a key for PS256 rejects an RS256 signature")
  func paddings() async throws {
    let (pkcs1, pss) = (try TestSigningKey.rsa(id: "k"), try TestSigningKey.rsa("PS256", id: "k"))
    let message = Array("message".utf8)
    let verification = try await Self.cache(TestIssuer.jwks([pss])).key(id: "k", algorithm: "PS256")
    #expect(verification.isValid(signature: try pss.sign(message), of: message))
    #expect(!verification.isValid(signature: try pkcs1.sign(message), of: message))
  }

  /// A changed or removed member of a valid key, and the error that this causes, or `nil` if the key is still accepted.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var member: String
    var value: JSONValue?
    var error: JWKSError?

    init(_ member: String, _ value: JSONValue?, _ error: JWKSError?) {
      self.testDescription = "\(member): \(value.map { "\($0)".prefix(60) } ?? "absent")"
      (self.member, self.value, self.error) = (member, value, error)
    }
  }

  private static let zeros32 = Base64URL.encode(Array(repeating: 0, count: 32))

  static let curveRows: [Row] = [
    Row("use", "enc", .unsuitableKey), Row("use", "", .unsuitableKey), Row("use", nil, nil),
    Row("key_ops", ["sign"], .unsuitableKey), Row("key_ops", [], .unsuitableKey), Row("key_ops", ["verify"], nil),
    Row("alg", "ES384", .unsuitableKey), Row("alg", "RS256", .unsuitableKey), Row("alg", nil, nil),
    Row("kty", "oct", .unsuitableKey), Row("kty", "RSA", .unsuitableKey), Row("kty", "OKP", .unsuitableKey),
    Row("kty", "ec", .unsuitableKey), Row("kty", nil, .unknownKey), Row("kid", "other", .unknownKey), Row("kid", 7, .unknownKey),
    Row("crv", "P-384", .unsuitableKey), Row("crv", nil, .unsuitableKey),
    Row("x", nil, .invalidKey), Row("x", "", .invalidKey), Row("x", "AAAA", .invalidKey),
    Row("x", .string(zeros32), .invalidKey), Row("y", .string(zeros32), .invalidKey), Row("y", "a b", .invalidKey),
    Row("y", .string(zeros32 + "="), .invalidKey),
    Row("y", .string(Base64URL.encode(Array(repeating: 0, count: 33))), .invalidKey),
  ]

  @Test("C-29: a key with a wrong use, type, or curve, or with invalid values, is not used", arguments: Self.curveRows)
  func curveKeys(row: Row) async throws {
    try await Self.expect(row, changing: TestSigningKey.es256(id: "k"))
  }

  @Test("a key with a coordinate that lacks its leading zeros verifies signatures", arguments: ["x", "y"])
  func shortCoordinates(member: String) async throws {
    // On average, this coordinate begins with a zero byte in one of 256 keys.
    let keys = (0..<100_000).lazy.map { _ in TestSigningKey.es256(id: "k") }
    func coordinate(_ key: TestSigningKey) -> [UInt8]? {
      guard case .string(let text)? = key.jwk[member] else { return nil }
      return Base64URL.decode(text)
    }
    let key = try #require(keys.first { coordinate($0)?.first == 0 })
    var jwk = key.jwk
    jwk[member] = .string(Base64URL.encode(try #require(coordinate(key)).drop { $0 == 0 }))
    let message = Array("message".utf8)
    let verification = try await Self.cache(["keys": [jwk]]).key(id: "k", algorithm: "ES256")
    #expect(verification.isValid(signature: try key.sign(message), of: message))
  }

  static let rsaRows: [Row] = [
    Row("n", nil, .invalidKey), Row("n", "", .invalidKey), Row("n", "AQAB", .invalidKey),
    // Moduli of 1,024 and 8,200 bits, and zero.
    Row("n", .string(Base64URL.encode(Array(repeating: 0xFF, count: 128))), .invalidKey),
    Row("n", .string(Base64URL.encode(Array(repeating: 0xFF, count: 1025))), .invalidKey),
    Row("n", .string(Base64URL.encode(Array(repeating: 0, count: 256))), .invalidKey),
    // A modulus of 2,040 bits with a leading zero byte, a modulus of 2,047 bits, one of 2,048 bits with two leading
    // zero bytes, and an even modulus.
    Row("n", .string(Base64URL.encode([0] + Array(repeating: 0xFF, count: 255))), .invalidKey),
    Row("n", .string(Base64URL.encode([0x7F] + Array(repeating: 0xFF, count: 255))), .invalidKey),
    Row("n", .string(Base64URL.encode([0, 0] + Array(repeating: 0xFF, count: 256))), .invalidKey),
    Row("n", .string(Base64URL.encode(Array(repeating: 0xFF, count: 255) + [0xFE])), .invalidKey),
    // A modulus of 2,048 bits, without and with a leading zero byte.
    Row("n", .string(Base64URL.encode(Array(repeating: 0xFF, count: 256))), nil),
    Row("n", .string(Base64URL.encode([0] + Array(repeating: 0xFF, count: 256))), nil),
    // No exponent, an empty one, 1, 2, 3, 65,536, 65,537 with a leading zero byte, an exponent of nine bytes, and
    // 65,537.
    Row("e", nil, .invalidKey), Row("e", "", .invalidKey), Row("e", "AQ", .invalidKey), Row("e", "Ag", .invalidKey),
    Row("e", "Aw", .invalidKey), Row("e", "AQAA", .invalidKey), Row("e", "AAEAAQ", .invalidKey),
    Row("e", "AQABAQABAQAB", .invalidKey), Row("e", "AQAB", nil),
  ]

  @Test("C-29: an RSA key that is too small, too large, or invalid is not used", arguments: Self.rsaRows)
  func rsaKeys(row: Row) async throws {
    try await Self.expect(row, changing: try .rsa(id: "k"))
  }

  @Test("a member of the key set that is not a key, or has an unknown type, does not affect the other members")
  func mixedSet() async throws {
    let key = TestSigningKey.es256(id: "k")
    let keys: JSONValue = [
      "keys": [
        7, nil, "x", ["kid": "k"], ["kty": "oct", "kid": "k", "k": "c2VjcmV0"], ["kty": "AKP", "kid": "k", "alg": "ML-DSA-65"],
        ["kty": "EC", "crv": "secp256k1", "kid": "k", "alg": "ES256K"], key.jwk,
      ]
    ]
    #expect(try await Self.cache(keys).key(id: "k", algorithm: "ES256").id == "k")
  }

  private static func expect(_ row: Row, changing key: TestSigningKey) async throws {
    var jwk = key.jwk
    jwk[row.member] = row.value
    let cache = try Self.cache(["keys": [jwk]])
    do {
      _ = try await cache.key(id: "k", algorithm: key.algorithm)
      #expect(row.error == nil)
    } catch {
      #expect(row.error == error)
    }
  }
}
