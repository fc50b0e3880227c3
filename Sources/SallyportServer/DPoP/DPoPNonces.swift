import Crypto
import SallyportProtocol

/// The nonces that proofs must repeat, RFC 9449 §8: made of the time and the server's key, so that nothing is kept and every process
/// of the server knows every other one's.
package struct DPoPNonces: Sendable {
  private let key: SymmetricKey
  private let now: TimeSource

  /// How long one nonce is handed out, in seconds. It is good for as long again.
  private static var period: Int64 { 120 }

  init(_ masterKey: MasterKey, now: @escaping TimeSource) {
    self.key = masterKey.key(for: "dpop nonces")
    self.now = now
  }

  /// The nonce to use next.
  package var current: String { self.nonce(of: self.index) }

  /// The nonces that are good at this moment.
  package var good: [String] { [self.nonce(of: self.index), self.nonce(of: self.index - 1)] }

  private var index: Int64 { self.now().seconds / Self.period }

  private func nonce(of index: Int64) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Array(String(index).utf8), using: self.key)
    return Base64URL.encode(Array(code).prefix(16))
  }
}
