import Crypto
import SallyportProtocol

/// Limits on requests that anyone can make. Requests are counted by subject: a network, or a text that a visitor
/// enters.
///
/// Each subject is mapped to one of a fixed number of counters with a keyed digest. Made-up texts therefore cannot fill
/// the store, and an attacker cannot find a text that shares its counter with another one.
struct KeyedLimits: Sendable {
  /// The beginning of the names of the counters. It cannot change, because the store contains the counters.
  let name: String
  let key: SymmetricKey

  /// The number of counters of each kind.
  private static var size: UInt32 { 1 << 18 }

  func limit(_ kind: String, _ subject: some Sequence<UInt8>, _ maximum: Int, in period: Duration) -> StoredLimit {
    let number = Self.counter(for: subject, kind, key: self.key)
    return StoredLimit("\(self.name)\n\(kind)\n\(number)", maximum, in: period)
  }

  /// Returns the number of the counter to which a subject is mapped. The mapping cannot change, because the store
  /// contains the counters.
  static func counter(for subject: some Sequence<UInt8>, _ kind: String, key: SymmetricKey) -> UInt32 {
    let digest = HMAC<SHA256>.authenticationCode(for: Array("\(kind)\n".utf8) + Array(subject), using: key)
    return Array(digest).prefix(4).reduce(0) { $0 << 8 | UInt32($1) } % Self.size
  }
}
