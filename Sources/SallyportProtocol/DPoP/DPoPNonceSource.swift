package import Crypto

/// The nonces that proofs must repeat, RFC 9449 §8 and §9: made of the time and a key, so that nothing is kept and every process that has
/// the key knows every other one's.
public struct DPoPNonceSource: Sendable {
  private let key: SymmetricKey
  private let now: TimeSource

  /// How long one nonce is handed out, in seconds. It is good for as long again.
  private static var period: Int64 { 120 }
  /// How long a nonce is valid at most.
  static var lifetime: Duration { .seconds(2 * self.period) }

  package init(key: SymmetricKey, now: @escaping TimeSource) {
    self.key = key
    self.now = now
  }

  /// - Parameter secret: at least 32 random bytes; the same in all processes that answer for one API.
  /// - Returns: nil for fewer.
  public init?(secret: Secret<[UInt8]>, now: @escaping TimeSource = Timestamp.now) {
    guard secret.reveal().count >= 32 else { return nil }
    self.init(key: SymmetricKey(data: secret.reveal()), now: now)
  }

  /// Nonces of this process alone.
  public init(now: @escaping TimeSource = Timestamp.now) {
    self.init(key: SymmetricKey(size: .bits256), now: now)
  }

  /// The nonce to use next.
  public var current: String { self.nonce(of: self.index) }

  /// The nonces that are good at this moment.
  public var good: [String] { [self.nonce(of: self.index), self.nonce(of: self.index - 1)] }

  private var index: Int64 { self.now().seconds / Self.period }

  private func nonce(of index: Int64) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(String(index).utf8), using: self.key)
    return Base64URL.encode(Array(code).prefix(16))
  }
}
