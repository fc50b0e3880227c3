import Crypto
import SallyportProtocol

/// Limits on requests and on the mail that they cause, which are counted by subject, such as a network, an email
/// address, or a text that a visitor enters.
///
/// A keyed digest maps each subject to one of a fixed number of counters. Made-up texts therefore cannot fill the
/// store, and an attacker cannot find a text that shares its counter with the text of another user.
struct KeyedLimits: Sendable {
  /// The beginning of the names of the counters. It must not change, because the store finds counters by their names.
  let name: String
  let key: SymmetricKey

  /// The number of counters of each kind.
  private static var size: UInt32 { 1 << 18 }

  /// Returns the limit for a subject: `maximum` requests of a kind in each period.
  func limit(_ kind: String, _ subject: some Sequence<UInt8>, _ maximum: Int, in period: Duration) -> StoredLimit {
    let number = Self.counter(for: subject, kind, key: self.key)
    return StoredLimit("\(self.name)\n\(kind)\n\(number)", maximum, in: period)
  }

  /// Returns the number of the counter to which a subject is mapped. The mapping must not change, because the
  /// store already contains counters.
  static func counter(for subject: some Sequence<UInt8>, _ kind: String, key: SymmetricKey) -> UInt32 {
    let digest = HMAC<SHA256>.authenticationCode(for: Array("\(kind)\n".utf8) + Array(subject), using: key)
    return Array(digest).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } % Self.size
  }
}
