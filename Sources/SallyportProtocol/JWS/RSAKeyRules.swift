/// Which RSA public keys are accepted.
package enum RSAKeyRules {
  /// Why a key is not accepted.
  package enum Violation: Error, Equatable {
    /// A number is empty, even, or has leading zeros (RFC 7518 §6.3.1.1, RFC 8230 §4), or the exponent is outside the
    /// accepted range.
    case malformed
    /// The modulus is too short or too long.
    case modulusLength
  }

  /// The accepted lengths of the modulus in bits. Shorter keys are too weak (NIST SP 800-131A). Longer keys are too
  /// slow: the time of a verification grows with the square of the length.
  private static let modulusBits = 2048...8192
  /// The accepted public exponents. FIPS 186-5 §5.4 requires an odd number above 2^16. The upper limit bounds the time
  /// of a verification.
  private static let exponents: ClosedRange<UInt64> = 65_537...UInt64(UInt32.max)

  /// Checks the numbers of a key.
  /// - Parameters:
  ///   - modulus: The big-endian bytes of the modulus.
  ///   - exponent: The big-endian bytes of the public exponent.
  package static func check(modulus: [UInt8], exponent: [UInt8]) throws(Violation) {
    guard let first = modulus.first, first != 0, let last = modulus.last, last & 1 == 1 else { throw .malformed }
    guard self.modulusBits.contains(modulus.count * 8 - first.leadingZeroBitCount) else { throw .modulusLength }
    guard let first = exponent.first, first != 0, exponent.count <= 8 else { throw .malformed }
    let number = exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard number & 1 == 1, self.exponents.contains(number) else { throw .malformed }
  }
}
