import Crypto
package import SallyportProtocol

/// One of 4,096 parts into which accounts are divided, so that a later version can keep each part in a different
/// database. This version keeps all of them in one.
///
/// The identifier of a grant contains the shard of its account, and codes and refresh tokens contain the identifier of
/// their grant. A server can therefore find the shard of a token without reading a store.
package struct Shard: Hashable, Sendable {
  package static let count = 4_096
  /// The number of hexadecimal digits of the shard in the identifier of a grant.
  private static let width = 3

  /// The shard's number, which is less than ``count``.
  package let number: Int

  /// The shard of an account. It never changes.
  package init(of account: AccountID) {
    let digest = SHA256.digest(of: Array(account.rawValue.utf8)).withUnsafeBytes { (Int($0[0]), Int($0[1])) }
    // The first 12 bits of the digest.
    self.number = (digest.0 << 8 | digest.1) >> 4
  }

  /// The shard of a grant, which is its account's shard.
  /// - Returns: Nil if ``GrantID/random(for:at:in:)`` cannot have created the identifier.
  package init?(of grant: GrantID) {
    let parts = grant.rawValue.split(separator: "-", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    // With GrantOrder.shard, an identifier is "SHARD-TIME…". With GrantOrder.creation, it is "TIME-SHARD…".
    let digits = parts[0].count == Self.width ? parts[0] : parts[1].prefix(Self.width)
    guard digits.count == Self.width, digits.allSatisfy(\.isHexDigit), let number = Int(digits, radix: 16) else { return nil }
    self.number = number
  }

  fileprivate var digits: String { OrderedID.hexadecimal(Int64(self.number), width: Self.width) }
}

extension GrantID {
  /// Returns an identifier for a new grant.
  package static func random(for account: AccountID, at now: Timestamp, in order: GrantOrder) -> GrantID {
    let shard = Shard(of: account).digits
    return switch order {
    case .creation: GrantID(rawValue: OrderedID.random(at: now, prefix: shard))
    case .shard: GrantID(rawValue: "\(shard)-\(OrderedID.random(at: now))")
    }
  }
}
