/// Which RSA public keys are accepted.
enum RSAKeyRules {
  /// The length of the modulus in bits. Shorter keys are too weak (NIST SP 800-131A). Longer ones are too slow: the time of
  /// a verification grows with the square of the length.
  static let modulusBits = 2048...8192
  /// The public exponent. FIPS 186-5 §5.4 requires an odd number above 2^16. The upper limit bounds the time of a
  /// verification.
  static let exponents: ClosedRange<UInt64> = 65_537...UInt64(UInt32.max)

  /// Checks the numbers of a key, which are big-endian and have no leading zeros (RFC 8230 §4).
  /// - Throws: ``WebAuthnError/malformedPublicKey``, ``WebAuthnError/unsupportedKeySize``
  static func check(modulus: [UInt8], exponent: [UInt8]) throws(WebAuthnError) {
    guard let first = modulus.first, first != 0, let last = modulus.last, last & 1 == 1 else { throw .malformedPublicKey }
    guard self.modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount) else { throw .unsupportedKeySize }
    guard let first = exponent.first, first != 0, exponent.count <= 8 else { throw .malformedPublicKey }
    let number = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard number & 1 == 1, self.exponents.contains(number) else { throw .malformedPublicKey }
  }
}
