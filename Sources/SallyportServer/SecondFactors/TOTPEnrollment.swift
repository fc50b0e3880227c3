package import SallyportProtocol

/// What a page needs so that a user can set up an authenticator app.
package struct TOTPEnrollment: Sendable {
  /// The URI for the QR code, in the format that authenticator apps read.
  package let uri: Secret<String>
  /// The secret in base32, in groups of four characters, for users who type it.
  package let secret: Secret<String>
  /// The sealed secret, which the form sends back.
  package let sealed: Secret<String>

  /// - Parameters:
  ///   - secret: The bytes of the secret.
  ///   - sealed: The sealed secret (``TOTPSecrets/sealEnrollment(_:session:)``).
  ///   - server: The name of the server, which the app shows.
  ///   - username: The user name, which the app shows.
  init(_ secret: Secret<[UInt8]>, sealed: Secret<String>, server: String, username: String) {
    let text = Self.base32(secret.reveal())
    // The label consists of the server's name and the user name, separated by a colon, so colons in the server's name
    // are replaced.
    let issuer = Self.percentEncoded(server.replacing(":", with: " "))
    let label = "\(issuer):\(Self.percentEncoded(username))"
    self.uri = Secret(
      "otpauth://totp/\(label)?secret=\(text)&issuer=\(issuer)&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)")
    self.secret = Secret(
      stride(from: 0, to: text.count, by: 4).map { String(text.dropFirst($0).prefix(4)) }.joined(separator: " "))
    self.sealed = sealed
  }

  /// Returns base32 text without padding (RFC 4648 §6).
  static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var (text, buffer, bits) = ([UInt8](), UInt32(0), 0)
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Encodes everything except unreserved characters (RFC 3986 §2.3).
  static func percentEncoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    let bytes = text.utf8.flatMap { byte in
      unreserved.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
