import Crypto
import HTTPTypes
import SallyportProtocol
import Testing

@Suite("DPoP proofs, RFC 9449")
struct DPoPProofTests {
  private static let url = "https://id.example/token"
  private let now = Timestamp(seconds: 1_800_000_000)
  /// Creates valid proofs. A test that needs another proof changes a copy.
  private let validForger = ProofForger()

  private func expectations(_ change: (inout DPoPExpectations) -> Void = { _ in }) throws -> DPoPExpectations {
    var expectations = DPoPExpectations(target: try #require(DPoPTarget(method: "POST", url: Self.url)))
    change(&expectations)
    return expectations
  }

  @Test("RFC 9449 §4.1: the RFC's example proof is valid, and its key has the RFC's thumbprint (RFC 7638)")
  func vector() throws {
    let proof =
      "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFV"
      + "ZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM"
      + "0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-Gx"
      + "A6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    let target = try #require(DPoPTarget(method: "POST", url: "https://server.example.com/token"))
    let validated = try ValidatedDPoPProof(
      proof, expecting: DPoPExpectations(target: target), at: Timestamp(seconds: 1_562_262_616))
    #expect(validated.key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    #expect(validated.identifier == "-BwC3ESc6acc2lTc")
    #expect(validated.expiration == Timestamp(seconds: 1_562_262_916))
  }

  @Test("RFC 9449 §4.2: a new proof is valid for its request and has a unique identifier")
  func made() throws {
    let key = try SoftwareDPoPKeys().makeKey()
    let target = try #require(DPoPTarget(method: "POST", url: Self.url))
    let token = Secret("access-1")
    let proof = try DPoPProof.make(for: target, accessToken: token, nonce: "n-1", at: self.now, by: key)
    let good = try self.expectations {
      $0.accessToken = token
      $0.nonces = ["n-0", "n-1"]
      $0.keyThumbprint = key.publicKey.thumbprint
    }
    let validated = try ValidatedDPoPProof(proof.reveal(), expecting: good, at: self.now)
    #expect(validated.key == key.publicKey)
    #expect(Base64URL.decode(validated.identifier)?.count == 16)
    let other = try DPoPProof.make(for: target, at: self.now, by: key)
    #expect(
      try ValidatedDPoPProof(other.reveal(), expecting: self.expectations(), at: self.now).identifier != validated.identifier)
  }

  @Test("RFC 9449 §4.2: a stored key can be restored, and bytes that are not a key are rejected")
  func stored() throws {
    let key = try SoftwareDPoPKeys().makeKey()
    let restored = try SoftwareDPoPKeys().restoreKey(key.storedForm)
    #expect(restored.publicKey == key.publicKey)
    #expect(throws: DPoPKeyError.damaged) { try SoftwareDPoPKeys().restoreKey(Secret([])) }
    #expect(throws: DPoPKeyError.damaged) { try SoftwareDPoPKeys().restoreKey(Secret(Array(repeating: 0, count: 32))) }
  }

  @Test(
    "RFC 9449 §4.3: a proof with a supported algorithm is accepted, unless the receiver does not allow the algorithm",
    arguments: DPoPAlgorithm.allCases)
  func algorithms(_ algorithm: DPoPAlgorithm) throws {
    let forger = ProofForger(algorithm)
    let proof = try forger.proof()
    #expect(try ValidatedDPoPProof(proof, expecting: self.expectations(), at: self.now).key.algorithm == algorithm)
    #expect(throws: DPoPProofError.algorithmNotAllowed) {
      try ValidatedDPoPProof(proof, expecting: self.expectations { $0.algorithms.remove(algorithm) }, at: self.now)
    }
  }

  @Test(
    "RFC 9449 §4.3 rule 11: with a valid nonce, iat does not matter, and the proof is remembered for at least four minutes",
    arguments: ["0", "1799990000", "1800009999", "1e300", "-1e300"])
  func issuedAtWithNonce(_ time: String) throws {
    var forger = ProofForger()
    forger.claims["iat"] = time
    forger.claims["nonce"] = #""n-1""#
    let proof = try forger.proof()
    let validated = try ValidatedDPoPProof(proof, expecting: self.expectations { $0.nonces = ["n-1"] }, at: self.now)
    // Until this time, the server remembers the proof to detect a replay.
    #expect(validated.expiration == self.now + .seconds(300))
    let short = try self.expectations {
      $0.nonces = ["n-1"]
      $0.maximumAge = .seconds(60)
    }
    #expect(try ValidatedDPoPProof(proof, expecting: short, at: self.now).expiration == self.now + .seconds(240))
    #expect(throws: DPoPProofError.nonceMismatch) {
      try ValidatedDPoPProof(proof, expecting: self.expectations { $0.nonces = ["n-2"] }, at: self.now)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: DPoPProofError
    let change: @Sendable (inout ProofForger) -> Void

    init(_ description: String, _ error: DPoPProofError, _ change: @escaping @Sendable (inout ProofForger) -> Void) {
      self.testDescription = description
      self.error = error
      self.change = change
    }
  }

  @Test(
    "RFC 9449 §4.3: a proof that violates a rule is rejected with the error for that rule",
    arguments: [
      Row("no typ", .typeMismatch) { $0.header["typ"] = nil }, Row("typ JWT", .typeMismatch) { $0.header["typ"] = #""JWT""# },
      Row("alg none", .algorithmNotAllowed) { $0.header["alg"] = #""none""# },
      Row("alg HS256", .algorithmNotAllowed) { $0.header["alg"] = #""HS256""# },
      Row("alg RS256", .algorithmNotAllowed) { $0.header["alg"] = #""RS256""# },
      Row("alg es256", .algorithmNotAllowed) { $0.header["alg"] = #""es256""# },
      Row("alg of another curve", .keyUnsuitable) { $0.header["alg"] = #""ES384""# },
      Row("no alg", .malformed(.headerMalformed)) { $0.header["alg"] = nil },
      Row("crit", .criticalHeader) { $0.header["crit"] = #"["x"]"# },
      Row("empty crit", .criticalHeader) { $0.header["crit"] = "[]" },
      Row("no jwk", .keyMalformed) { $0.header["jwk"] = nil }, Row("jwk null", .keyMalformed) { $0.header["jwk"] = "null" },
      Row("jwk text", .keyMalformed) { $0.header["jwk"] = #""x""# }, Row("jwk empty", .keyMalformed) { $0.header["jwk"] = "{}" },
      Row("kid instead of jwk", .keyMalformed) {
        $0.header["jwk"] = nil
        $0.header["kid"] = #""1""#
      },
      Row("private key", .privateKey) { $0.jwk["d"] = #""AAAA""# },
      Row("private member null", .privateKey) { $0.jwk["d"] = "null" },
      Row("symmetric key", .privateKey) { $0.jwk = ["kty": #""oct""#, "k": #""AAAA""#] },
      Row("kty RSA", .keyUnsuitable) { $0.jwk["kty"] = #""RSA""# }, Row("kty ec", .keyUnsuitable) { $0.jwk["kty"] = #""ec""# },
      Row("crv secp256k1", .keyUnsuitable) { $0.jwk["crv"] = #""secp256k1""# },
      Row("no crv", .keyUnsuitable) { $0.jwk["crv"] = nil },
      Row("jwk for another algorithm", .keyUnsuitable) { $0.jwk["alg"] = #""ES384""# },
      Row("jwk for encryption", .keyUnsuitable) { $0.jwk["use"] = #""enc""# },
      Row("no y", .keyMalformed) { $0.jwk["y"] = nil }, Row("short x", .keyMalformed) { $0.jwk["x"] = #""AAAA""# },
      Row("point not on the curve", .keyMalformed) { $0.jwk["y"] = $0.jwk["x"] },
      Row("point zero", .keyMalformed) {
        $0.jwk["x"] = "\"\(String(repeating: "A", count: 43))\""
        $0.jwk["y"] = $0.jwk["x"]
      },
      Row("x that is too long", .keyMalformed) { $0.jwk["x"] = "\"\(String(repeating: "A", count: 400))\"" },
      Row("padded x", .keyMalformed) { $0.jwk["x"] = ($0.jwk["x"] ?? "").dropLast() + #"=""# },
      Row("another key's signature", .signatureInvalid) { $0.jwk = ProofForger().jwk },
      Row("reversed signature", .signatureInvalid) { $0.signature = { Array($0.reversed()) } },
      Row("no signature", .signatureInvalid) { $0.signature = { _ in [] } },
      Row("signature with a DER prefix", .signatureInvalid) { $0.signature = { [0x30, 0x44] + $0 } },
      Row("payload text", .claimsMalformed) { $0.payload = "x" }, Row("payload list", .claimsMalformed) { $0.payload = "[]" },
      Row("no jti", .claimsMalformed) { $0.claims["jti"] = nil }, Row("jti number", .claimsMalformed) { $0.claims["jti"] = "1" },
      Row("empty jti", .identifierInvalid) { $0.claims["jti"] = #""""# },
      Row("jti that is too long", .identifierInvalid) { $0.claims["jti"] = "\"\(String(repeating: "j", count: 257))\"" },
      Row("no htm", .claimsMalformed) { $0.claims["htm"] = nil },
      Row("htm GET", .methodMismatch) { $0.claims["htm"] = #""GET""# },
      Row("htm post", .methodMismatch) { $0.claims["htm"] = #""post""# },
      Row("no htu", .claimsMalformed) { $0.claims["htu"] = nil },
      Row("htu of another host", .urlMismatch) { $0.claims["htu"] = #""https://evil.example/token""# },
      Row("htu of another path", .urlMismatch) { $0.claims["htu"] = #""https://id.example/token/""# },
      Row("htu of another port", .urlMismatch) { $0.claims["htu"] = #""https://id.example:8443/token""# },
      Row("htu http", .urlMismatch) { $0.claims["htu"] = #""http://id.example/token""# },
      Row("htu in another case", .urlMismatch) { $0.claims["htu"] = #""https://id.example/Token""# },
      Row("htu with a user", .urlMismatch) { $0.claims["htu"] = #""https://id.example@id.example/token""# },
      Row("htu relative", .urlMismatch) { $0.claims["htu"] = #""/token""# },
      Row("htu empty", .urlMismatch) { $0.claims["htu"] = #""""# },
      Row("no iat", .claimsMalformed) { $0.claims["iat"] = nil },
      Row("iat text", .claimsMalformed) { $0.claims["iat"] = #""1800000000""# },
      Row("iat too old", .tooOld) { $0.claims["iat"] = "1799999700" }, Row("iat zero", .tooOld) { $0.claims["iat"] = "0" },
      Row("iat in the future", .issuedInFuture) { $0.claims["iat"] = "1800000031" },
      Row("iat far in the future", .issuedInFuture) { $0.claims["iat"] = "1e300" },
      Row("iat far in the past", .tooOld) { $0.claims["iat"] = "-1e300" },
      Row("nonce of a wrong type", .claimsMalformed) { $0.claims["nonce"] = "1" },
    ])
  func hostile(_ row: Row) throws {
    var forger = self.validForger
    row.change(&forger)
    let proof = try forger.proof()
    #expect(throws: row.error) { try ValidatedDPoPProof(proof, expecting: self.expectations(), at: self.now) }
    #expect(row.error.code == .invalidDPoPProof)
  }

  @Test("RFC 9449 §4.3: text that is not a JWT is rejected", arguments: ["", "a.b.c", "e30.e30.", "a, b", "x"])
  func noJWT(_ text: String) throws {
    let error = #expect(throws: DPoPProofError.self) {
      try ValidatedDPoPProof(text, expecting: self.expectations(), at: self.now)
    }
    guard case .malformed = error else { return #expect(Bool(false), "\(String(describing: error))") }
  }

  @Test(
    "RFC 9449 §4.3: iat is accepted up to the exact limits: less than 300 seconds ago, and 30 seconds in the future",
    arguments: ["1799999701", "1800000030"])
  func window(issuedAt: String) throws {
    var forger = self.validForger
    forger.claims["iat"] = issuedAt
    #expect(throws: Never.self) { try ValidatedDPoPProof(forger.proof(), expecting: self.expectations(), at: self.now) }
  }

  @Test("RFC 9449 §8: a required nonce must be valid, and an unexpected nonce is ignored")
  func nonces() throws {
    var forger = self.validForger
    let withNonce = try self.expectations { $0.nonces = ["n-1", "n-2"] }
    #expect(throws: DPoPProofError.nonceMissing) { try ValidatedDPoPProof(forger.proof(), expecting: withNonce, at: self.now) }
    forger.claims["nonce"] = #""n-3""#
    #expect(throws: DPoPProofError.nonceMismatch) { try ValidatedDPoPProof(forger.proof(), expecting: withNonce, at: self.now) }
    #expect(throws: Never.self) { try ValidatedDPoPProof(forger.proof(), expecting: self.expectations(), at: self.now) }
    forger.claims["nonce"] = #""n-2""#
    #expect(throws: Never.self) { try ValidatedDPoPProof(forger.proof(), expecting: withNonce, at: self.now) }
    #expect(DPoPProofError.nonceMissing.code == .useDPoPNonce)
    #expect(DPoPProofError.nonceMismatch.code == .useDPoPNonce)
  }

  @Test("RFC 9449 §7: at an API, the proof must contain the token's hash, and the token must be bound to the proof's key")
  func accessToken() throws {
    var forger = self.validForger
    let expectations = try self.expectations { $0.accessToken = Secret("access-1") }
    #expect(throws: DPoPProofError.accessTokenHashMissing) {
      try ValidatedDPoPProof(forger.proof(), expecting: expectations, at: self.now)
    }
    forger.claims["ath"] = "\"\(Base64URL.encode(SHA256.hash(data: Array("access-2".utf8))))\""
    #expect(throws: DPoPProofError.accessTokenHashMismatch) {
      try ValidatedDPoPProof(forger.proof(), expecting: expectations, at: self.now)
    }
    forger.claims["ath"] = "\"\(Base64URL.encode(SHA256.hash(data: Array("access-1".utf8))))\""
    #expect(throws: Never.self) { try ValidatedDPoPProof(forger.proof(), expecting: expectations, at: self.now) }
    #expect(throws: DPoPProofError.keyMismatch) {
      try ValidatedDPoPProof(
        forger.proof(), expecting: self.expectations { $0.keyThumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I" },
        at: self.now)
    }
  }

  @Test(
    "RFC 9449 §4.3: URLs that differ only in spelling, query, or fragment are equal after normalization",
    arguments: [
      "https://id.example/token", "HTTPS://id.example/token", "https://ID.Example/token", "https://id.example:443/token",
      "https://id.example/token?x=y", "https://id.example/token#x", "https://id.example/%74oken", "https://id.example/a/../token",
      "https://id.example/./token", "https://id.example/%2e/token", "https://id.example/../token", "https://%69d.example/token",
    ])
  func normalized(_ text: String) throws {
    #expect(DPoPTarget(method: "POST", url: text)?.url == Self.url)
  }

  @Test(
    "RFC 9449 §4.3: different URLs stay different after normalization, and text that is not a valid http or https URL is rejected"
  )
  func kept() {
    func url(_ text: String) -> String? { DPoPTarget(method: "GET", url: text)?.url }
    #expect(url("https://id.example") == "https://id.example/")
    #expect(url("http://127.0.0.1:80/a") == "http://127.0.0.1/a")
    #expect(url("https://id.example:80/a") == "https://id.example:80/a")
    #expect(url("https://id.example/a%2fb") == "https://id.example/a%2Fb")
    #expect(url("https://id.example/a%2Fb") != url("https://id.example/a/b"))
    #expect(url("https://id.example/a/") != url("https://id.example/a"))
    #expect(url("https://id.example/a/..") == "https://id.example/")
    #expect(url("https://id.example/a//b") == "https://id.example/a//b")
    #expect(url("https://[::1]:8080/a") == "https://[::1]:8080/a")
    for text in ["", "/token", "ftp://id.example/", "https:///token", "https://a@id.example/", "https://id.example/ä"] {
      #expect(url(text) == nil)
    }
  }

  @Test("RFC 9449 §4.3 rule 1: more than one proof is rejected")
  func fields() throws {
    var fields = HTTPFields()
    #expect(try DPoPProof.proof(in: fields) == nil)
    let name = try #require(HTTPField.Name("dpop"))
    fields.append(HTTPField(name: name, value: "a"))
    #expect(try DPoPProof.proof(in: fields) == "a")
    fields.append(HTTPField(name: name, value: "a"))
    #expect(throws: DPoPProofError.repeated) { try DPoPProof.proof(in: fields) }
  }
}
