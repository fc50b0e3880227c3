import Crypto
import SallyportProtocol

/// Time-based one-time passwords (RFC 6238) with the parameters that all authenticator apps support: HMAC with SHA-1,
/// six digits, and steps of 30 seconds.
enum TOTP {
  /// The size of a secret in bytes (RFC 4226 §4, R6).
  static var secretSize: Int { 20 }
  static var digits: Int { 6 }
  /// The length of a time step in seconds.
  static var period: Int64 { 30 }

  /// Returns the number of the time step that contains `time`.
  static func step(at time: Timestamp) -> Int64 {
    time.seconds / self.period
  }

  /// Returns the code of a time step (RFC 4226 §5.3).
  /// - Parameter digits: The number of digits, from 6 to 8.
  static func code(_ secret: Secret<[UInt8]>, step: Int64, digits: Int = Self.digits) -> String {
    let counter = withUnsafeBytes(of: step.bigEndian) { Array($0) }
    let key = SymmetricKey(data: secret.reveal())
    let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
    let offset = Int(mac[mac.count - 1] & 0xF)
    let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
    let text = String(number % modulus)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }

  /// Returns the time step of a code: the current one, or the one before or after it, because clocks differ and typing
  /// takes time (RFC 6238 §5.2).
  /// - Parameter last: The last step whose code was accepted. Codes of this and of earlier steps do not match.
  /// - Returns: Nil if the code matches none of these steps.
  static func step(of code: String, _ secret: Secret<[UInt8]>, after last: Int64, at now: Timestamp) -> Int64? {
    let current = self.step(at: now)
    return (current - 1...current + 1).first { step in
      step > last && constantTimeEqual(self.code(secret, step: step).utf8, code.utf8)
    }
  }

  /// Whether ``step(of:_:after:at:)`` finds the code in one of the three time steps, even if the code was accepted
  /// before.
  static func isRecent(_ code: String, _ secret: Secret<[UInt8]>, at now: Timestamp) -> Bool {
    self.step(of: code, secret, after: .min, at: now) != nil
  }

  /// Returns the six digits of a code that a user entered (``EnteredCode``); nil if the text is not such a code.
  static func digits(in text: String) -> String? {
    guard let digits = EnteredCode.ascii(text), digits.count == self.digits,
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}
