import SallyportProtocol

/// Properties of the parser of `WWW-Authenticate` fields (RFC 9110 §11.6.1).
enum ChallengeProperties {
  /// - Returns: Whether the parser accepted the field.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let field = String(validating: input, as: UTF8.self) else { return false }
    guard let challenges = try? AuthenticationChallenge.parse(field) else { return false }
    let encoded = challenges.map(\.fieldValue).joined(separator: ", ")
    let isFieldValue = encoded.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    try require(isFieldValue, "an encoded field has no control characters except tabs")
    // The encoded field can be longer than the input, and the parser rejects a field of more than 16 KiB.
    guard encoded.utf8.count <= 16 << 10 else { return true }
    try require((try? AuthenticationChallenge.parse(encoded)) == challenges, "an encoded challenge decodes to the same value")
    for challenge in challenges {
      try require(!challenge.scheme.isEmpty, "a challenge has a scheme")
      try require(challenge.isScheme(challenge.scheme.uppercased()), "schemes are case-insensitive")
      if let scope = challenge.scope {
        try require(Scope(scope.description) == scope, "an encoded scope decodes to the same value")
      }
    }
    return true
  }
}
