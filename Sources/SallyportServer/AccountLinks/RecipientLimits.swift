import SallyportProtocol

/// Limits how many one-time links the server mails to one address at the request of users, for all accounts together.
///
/// Only half of the links can be for the verification of the address. Otherwise, a user who asks for links to someone
/// else's address could prevent the owner of the address from getting a link for a new password.
struct RecipientLimits: Sendable {
  private let counters: KeyedLimits

  /// The maximum number of links to one address within 24 hours.
  static var maximumPerDay: Int { 12 }
  /// The maximum number of verification links to one address within 24 hours.
  static var maximumVerificationsPerDay: Int { 6 }
  static var day: Duration { .seconds(86_400) }

  init(masterKey: MasterKey) {
    // The names of the counters come from earlier versions, which counted only links for new passwords. They cannot
    // change, because the store contains the counters.
    self.counters = KeyedLimits(name: "reset request", key: masterKey.key(for: "reset requests"))
  }

  /// Counts a link to the address toward ``maximumPerDay``, but not toward ``maximumVerificationsPerDay``.
  /// - Parameter address: The address in lowercase, in UTF-8.
  /// - Returns: Whether the link may be mailed.
  func countLink(
    to address: some Sequence<UInt8>, in tx: inout some StoreTransaction, at now: Timestamp
  ) throws(StoreError) -> Bool {
    try self.counters.limit("address", address, Self.maximumPerDay, in: Self.day).countUnlessReached(in: &tx, at: now)
  }

  /// Counts a link that verifies the address toward ``maximumVerificationsPerDay`` and ``maximumPerDay``.
  /// - Returns: Whether the link may be mailed.
  func countVerification(
    to address: EmailAddress, in tx: inout some StoreTransaction, at now: Timestamp
  ) throws(StoreError) -> Bool {
    let address = Array(address.value.lowercased().utf8)
    let verifications = self.counters.limit("verification", address, Self.maximumVerificationsPerDay, in: Self.day)
    guard try !verifications.isReached(tx, at: now), try self.countLink(to: address, in: &tx, at: now) else {
      return false
    }
    return try verifications.countUnlessReached(in: &tx, at: now)
  }
}
