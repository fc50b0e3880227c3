import SallyportProtocol

/// Limits the one-time links that users have mailed to one address, whichever accounts they ask for.
///
/// Only half of the links can be for the verification of the address. Otherwise, a user who asks for links to someone
/// else's address could prevent that user from getting a link for a new password.
struct RecipientLimits: Sendable {
  private let counters: KeyedLimits

  /// The maximum number of links to one address within 24 hours.
  static var maximumPerDay: Int { 12 }
  /// The maximum number of links to one address within 24 hours that verify the address.
  static var maximumVerificationsPerDay: Int { 6 }
  static var day: Duration { .seconds(86_400) }

  init(masterKey: MasterKey) {
    // The store contains the counters of earlier versions, in which only links for new passwords were counted.
    self.counters = KeyedLimits(name: "reset request", key: masterKey.key(for: "reset requests"))
  }

  /// Counts a link for a new password.
  /// - Parameter address: The address in lowercase, in UTF-8.
  /// - Returns: Whether the link may be mailed.
  func countPasswordLink(
    to address: some Sequence<UInt8>, in tx: inout some StoreTransaction, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.counters.limit("address", address, Self.maximumPerDay, in: Self.day).countUnlessReached(in: &tx, at: now)
  }

  /// Counts a link that verifies its address.
  /// - Returns: Whether the link may be mailed.
  func countVerification(
    to address: EmailAddress, in tx: inout some StoreTransaction, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let address = Array(address.value.lowercased().utf8)
    let verifications = self.counters.limit("verification", address, Self.maximumVerificationsPerDay, in: Self.day)
    guard try !verifications.isReached(tx, at: now), try self.countPasswordLink(to: address, in: &tx, at: now) else {
      return false
    }
    return try verifications.countUnlessReached(in: &tx, at: now)
  }
}
