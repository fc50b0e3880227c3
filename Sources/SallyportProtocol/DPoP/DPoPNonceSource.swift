package import Crypto

/// The nonces that DPoP proofs must contain (RFC 9449 §8 and §9).
///
/// A nonce is computed from the time and a key, so nothing is stored, and all processes with the same key accept each
/// other's nonces.
public struct DPoPNonceSource: Sendable {
  private let key: SymmetricKey
  private let now: TimeSource

  /// How long the same nonce is sent to clients, in seconds. After that, the nonce remains valid for another period.
  private static var period: Int64 { 120 }
  /// The maximum time for which a nonce is valid.
  static var lifetime: Duration { .seconds(2 * self.period) }

  package init(key: SymmetricKey, now: @escaping TimeSource) {
    self.key = key
    self.now = now
  }

  /// Creates a source whose nonces are valid in all processes with the same secret.
  /// - Parameter secret: At least 32 random bytes, which must be the same in all processes that serve the same API.
  /// - Returns: `nil` if the secret is shorter. Treat this as an error, because an API without a source of nonces
  ///   accepts proofs without a nonce.
  public init?(secret: Secret<[UInt8]>, now: @escaping TimeSource = Timestamp.now) {
    guard secret.reveal().count >= 32 else { return nil }
    self.init(key: SymmetricKey(data: secret.reveal()), now: now)
  }

  /// Creates a source whose nonces are valid only in this process.
  public init(now: @escaping TimeSource = Timestamp.now) {
    self.init(key: SymmetricKey(size: .bits256), now: now)
  }

  /// The nonce to send to clients.
  public var current: String { self.nonce(of: self.index) }

  /// The nonces that are currently valid.
  public var valid: [String] { [self.nonce(of: self.index), self.nonce(of: self.index - 1)] }

  private var index: Int64 { self.now().seconds / Self.period }

  private func nonce(of index: Int64) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(String(index).utf8), using: self.key)
    return Base64URL.encode(Array(code).prefix(16))
  }
}
