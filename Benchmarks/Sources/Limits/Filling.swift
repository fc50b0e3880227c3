import SallyportProtocol
import SallyportSQLite
import SallyportServer

/// A database that has been in use for long: sign-ins of many people, each with a chain of refresh tokens of which the last is live.
///
/// Only the volume is invented: every row goes in through the store. Fingerprints and grants rise together, so that ten million rows are
/// written in minutes; what the server adds later falls between them at random, as it does in a real one.
struct Filling {
  private static let chain = 5
  private static let batch = 4_000

  let store: SQLiteStore
  let client: ClientID
  let accounts: [AccountID]
  let tokens: Int

  init(database: String, client: String, tokens: Int) async throws {
    self.store = try SQLiteStore(path: database)
    self.client = ClientID(rawValue: client)
    self.tokens = tokens
    self.accounts = try await self.store.write { (tx) throws(StoreError) in
      var ids: [AccountID] = []
      for number in 0..<10_000 {
        let id = AccountID(rawValue: RandomText.base64URL(bits: 128))
        guard let name = Username("person-\(number)") else { throw .refused }
        try tx.insert(
          AccountRecord(id: id, username: name, passwordHash: "", passwordChangedAt: .now(), createdAt: .now()))
        ids.append(id)
      }
      return ids
    }
  }

  func run() async throws {
    let grants = self.tokens / Self.chain
    for first in stride(from: 0, to: grants, by: Self.batch) {
      let numbers = first..<min(first + Self.batch, grants)
      try await self.store.write { (tx) throws(StoreError) in
        for number in numbers { try self.insert(number, of: grants, in: &tx) }
      }
    }
  }

  private func insert(_ number: Int, of grants: Int, in tx: inout any StoreTransaction) throws(StoreError) {
    let (begun, end) = (Timestamp.now() - .seconds(3_600), Timestamp.now() + .seconds(30 * 86_400))
    let grant = GrantRecord(
      id: GrantID(rawValue: String(begun.milliseconds + Int64(number) / 10, radix: 16) + "-" + RandomText.base64URL(bits: 128)),
      client: self.client, account: self.accounts[number % self.accounts.count], scope: "openid offline_access",
      authenticatedAt: begun, createdAt: begun, expiresAt: end)
    try tx.insert(grant)
    var predecessor: Fingerprint?
    let chain = (0..<Self.chain).map { Self.fingerprint(number * Self.chain + $0, of: grants * Self.chain) }
    for (index, token) in chain.enumerated() {
      let successor = index + 1 < chain.count ? chain[index + 1] : nil
      try tx.insert(
        RefreshTokenRecord(
          fingerprint: token, grant: grant.id, issuedAt: begun, expiresAt: end, consumedAt: successor == nil ? nil : begun,
          successor: successor, predecessor: predecessor))
      predecessor = token
    }
  }

  /// The first eight bytes rise from row to row, the rest is random.
  private static func fingerprint(_ number: Int, of count: Int) -> Fingerprint {
    let position = UInt64(number) * (UInt64.max / UInt64(count))
    let random = (0..<24).map { _ in UInt8.random(in: 0...255) }
    return Fingerprint(bytes: (0..<8).map { UInt8(truncatingIfNeeded: position >> (56 - 8 * UInt64($0))) } + random)
  }
}
