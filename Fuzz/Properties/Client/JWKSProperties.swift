import SallyportProtocol
import SallyportRemote

/// Properties of the parser of JWK Sets (RFC 7517 §5) and of the choice of a key.
enum JWKSProperties {
  /// The `kid` of each key in a document, read without the code under test. `nil` if a key has no `kid`, or if its
  /// `kid` is not a string.
  private struct Identifiers: Decodable {
    struct Key: Decodable {
      let kid: String?
      init(from decoder: any Decoder) throws {
        enum Name: CodingKey { case kid }
        self.kid = try? decoder.container(keyedBy: Name.self).decode(String.self, forKey: .kid)
      }
    }
    let keys: [Key]
  }

  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let set = FuzzJSON.decode(JSONWebKeySet.self, input) else { return false }
    let keyIDs = FuzzJSON.decode(Identifiers.self, input)?.keys.compactMap(\.kid) ?? []
    try require(
      set.keys.count <= (FuzzJSON.decode(Identifiers.self, input)?.keys.count ?? 0),
      "a key set has no more keys than its document")
    var isAccepted = false
    for algorithm in SignatureAlgorithm.allCases {
      // U+212A (the Kelvin sign) is canonically equivalent to "K", but does not select a key with the identifier "K".
      for id in [nil, "\u{212A}"] + keyIDs.prefix(4).map(Optional.some) {
        if try await self.check(set, id, algorithm, input) { isAccepted = true }
      }
    }
    return isAccepted
  }

  /// Checks the key that the set returns for this identifier and algorithm.
  /// - Parameter input: The bytes from which invalid signatures are made.
  /// - Returns: Whether the set returned a key that can verify signatures.
  private static func check(
    _ set: JSONWebKeySet, _ id: String?, _ algorithm: SignatureAlgorithm, _ input: [UInt8]
  ) async throws(Violation) -> Bool {
    let chosen = Result { () throws(JWKSError) in try set.key(id: id, for: algorithm) }
    let reversed = JSONWebKeySet(keys: set.keys.reversed())
    try require(
      chosen == Result { () throws(JWKSError) in try reversed.key(id: id, for: algorithm) }, "the order of keys does not matter")
    guard case .success(let key) = chosen else { return false }
    guard let verifier = try? await VerificationKey(key, for: algorithm) else { return false }
    try require(verifier.algorithm == algorithm.rawValue, "the key is for the requested algorithm")
    if let id {
      try require(verifier.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false, "the key is the one with the requested kid")
    }
    for count in [0, 32, 64, 96, 132, 256] {
      let signature = [UInt8](input.suffix(count)) + [UInt8](repeating: 0x5A, count: max(0, count - input.count))
      try require(!verifier.isValid(signature: signature, of: input), "arbitrary bytes are not a valid signature")
    }
    return true
  }
}
