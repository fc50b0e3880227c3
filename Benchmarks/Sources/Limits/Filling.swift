import SallyportProtocol
import SallyportServer

/// Fills a database with 10,000 users and many grants, so that it is as large as after years of use. All grants began
/// an hour ago, so none of them has expired. Each grant has five refresh tokens, and only the last token is valid.
///
/// Rows are written through the server's store, so they are in the format that the server writes.
struct Filling {
  /// The number of refresh tokens of a grant.
  private static let tokensPerGrant = 5
  /// The number of grants in a transaction.
  private static let batch = 1_000

  let store: any Store
  let client: ClientID
  let accounts: [AccountID]
  /// The number of grants.
  let grants: Int
  /// The fingerprints of the tokens that the benchmark will send. All other tokens are random.
  let known: [Fingerprint]

  /// - Parameters:
  ///   - database: The path of a SQLite database, or the URL of a PostgreSQL database. The initializer writes the
  ///     accounts, and ``run()`` writes the grants.
  ///   - client: The identifier of the client that all grants belong to.
  ///   - tokens: The number of refresh tokens to write.
  ///   - known: The fingerprints of the tokens that the benchmark will send.
  init(database: String, client: String, tokens: Int, known: [Fingerprint]) async throws {
    try await self.init(store: BenchmarkStore.open(database), client: client, tokens: tokens, known: known)
  }

  /// Uses an open store.
  init(store: any Store, client: String, tokens: Int, known: [Fingerprint]) async throws {
    self.store = store
    self.client = ClientID(rawValue: client)
    self.grants = tokens / Self.tokensPerGrant
    self.known = known
    self.accounts = try await self.store.write { (tx) throws(StoreError) in
      var ids: [AccountID] = []
      for number in 0..<10_000 {
        let id = AccountID(rawValue: RandomText.base64URL(bits: 128))
        guard let name = Username("user-\(number)") else { throw .rolledBack }
        // The account must be older than its grants, because a password change ends all earlier grants.
        let created = Timestamp.now() - .seconds(86_400)
        try tx.insert(
          AccountRecord(id: id, username: name, passwordHash: "", passwordChangedAt: created, createdAt: created))
        ids.append(id)
      }
      return ids
    }
  }

  /// Writes the grants and their refresh tokens.
  /// - Returns: The identifier of each known token, in the order of `known`. The known tokens are valid and evenly
  ///   distributed over all grants.
  func run() async throws -> [RefreshTokenID] {
    var knownIDs: [RefreshTokenID] = []
    for first in stride(from: 0, to: self.grants, by: Self.batch) {
      let numbers = first..<min(first + Self.batch, self.grants)
      let before = knownIDs.count
      knownIDs += try await self.store.write { (tx) throws(StoreError) in
        var knownInBatch: [RefreshTokenID] = []
        for number in numbers {
          let next = before + knownInBatch.count
          // The known tokens are spread evenly: token `next` belongs to the grant `next` × grants ÷ known tokens.
          let isKnown = next < self.known.count && number >= next * self.grants / self.known.count
          let last = try self.insert(number, ending: isKnown ? self.known[next] : Self.random(), in: &tx)
          if isKnown { knownInBatch.append(last) }
        }
        return knownInBatch
      }
    }
    return knownIDs
  }

  /// Inserts a grant with its refresh tokens.
  /// - Parameter last: The fingerprint of the last token, which is the only valid one.
  /// - Returns: The identifier of the last token.
  private func insert(
    _ number: Int, ending last: Fingerprint, in tx: inout any StoreTransaction
  ) throws(StoreError) -> RefreshTokenID {
    let begun = Timestamp.now() - .seconds(3_600)
    let (tokenEnd, end) = (begun + Lifetimes().refreshTokenIdle, begun + Lifetimes().grant)
    let account = self.accounts[number % self.accounts.count]
    // Ten grants begin in each millisecond.
    let grant = GrantRecord(
      id: .random(for: account, at: begun + .milliseconds(number / 10), in: self.store.grantOrder),
      client: self.client, account: account, scope: "openid offline_access",
      authenticatedAt: begun, createdAt: begun, expiresAt: end)
    try tx.insert(grant)
    var id = RefreshTokenID.first(of: grant.id)
    for _ in 1..<Self.tokensPerGrant {
      try tx.insert(
        RefreshTokenRecord(id: id, fingerprint: Self.random(), issuedAt: begun, expiresAt: tokenEnd, consumedAt: begun))
      id = id.successor
    }
    try tx.insert(RefreshTokenRecord(id: id, fingerprint: last, issuedAt: begun, expiresAt: tokenEnd))
    return id
  }

  private static func random() -> Fingerprint {
    Fingerprint(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) })
  }
}
