import Crypto
package import SallyportProtocol

/// An authenticator app. It computes codes (RFC 6238) with an implementation of its own, not with the server's.
package struct TestAuthenticatorApp: Sendable {
  private let secret: [UInt8]

  /// - Parameter key: The key that a page shows: base32 text with spaces.
  /// - Returns: Nil if the text is not base32, or does not contain 20 bytes.
  package init?(key: String) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var (bytes, buffer, bits) = ([UInt8](), 0, 0)
    // Each letter stands for 5 bits. The lowest `bits` bits of `buffer` do not fill a byte yet.
    for letter in key.utf8 where letter != UInt8(ascii: " ") {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      buffer = (buffer << 5 | value) & 0xFFFF
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(buffer >> bits & 0xFF))
      }
    }
    guard bytes.count == 20 else { return nil }
    self.secret = bytes
  }

  /// Returns the code that the app shows at this time.
  package func code(at time: Timestamp) -> String {
    let counter = withUnsafeBytes(of: (time.seconds / 30).bigEndian) { Array($0) }
    let digest = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: self.secret)))
    // Dynamic truncation (RFC 4226 §5.3).
    let offset = Int(digest[19] & 15)
    let number =
      (Int(digest[offset]) & 127) << 24 | Int(digest[offset + 1]) << 16 | Int(digest[offset + 2]) << 8 | Int(digest[offset + 3])
    let text = "\(number % 1_000_000)"
    return String(repeating: "0", count: 6 - text.count) + text
  }
}
