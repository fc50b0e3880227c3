/// Unguessable text from the system's cryptographic random number generator.
package enum RandomText {
  /// Base64url text that carries `bits` random bits (256 make 43 characters).
  package static func base64URL(bits: Int = 256) -> String {
    Base64URL.encode(self.bytes(count: bits / 8))
  }

  /// Random bytes (`SystemRandomNumberGenerator` is `getrandom(2)`, `SecRandomCopyBytes` or `BCryptGenRandom`).
  package static func bytes(count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    // Eight at a time: each `next()` is a system call, however little of it is used.
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) { bytes += $0.prefix(count - bytes.count) }
    }
    return bytes
  }
}
