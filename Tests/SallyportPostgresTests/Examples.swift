import SallyportProtocol
import SallyportServer

@testable import SallyportPostgres

extension Timestamp {
  static let example = Timestamp(seconds: 1_800_000_000)
}

extension GrantID {
  static let example = GrantID(rawValue: "grant")

  static func numbered(_ number: Int) -> GrantID { GrantID(rawValue: "grant-\(number)") }
}

extension AccountRecord {
  static var example: AccountRecord {
    get throws(StoreError) {
      guard let username = Username("ada") else { throw .rolledBack }
      return AccountRecord(
        id: AccountID(rawValue: "account"), username: username, passwordHash: "$argon2id$", passwordChangedAt: .example,
        createdAt: .example)
    }
  }
}

extension ClientRecord {
  static var example: ClientRecord {
    get throws {
      ClientRecord(
        id: ClientID(rawValue: "client"), name: "Notes", type: .public, applicationType: .native, origin: .dynamic,
        redirectURIs: [try RedirectURI("com.example.app:/oauth2redirect")], scope: "openid", createdAt: .example)
    }
  }
}

extension RefreshTokenRecord {
  static func example(_ number: Int64, of grant: GrantID = .example) -> RefreshTokenRecord {
    RefreshTokenRecord(
      id: RefreshTokenID(grant: grant, number: number),
      fingerprint: Fingerprint(bytes: Array(repeating: UInt8(truncatingIfNeeded: number), count: 32)), issuedAt: .example,
      expiresAt: .example + .seconds(3600))
  }
}

extension StoreTransaction {
  /// Replaces a token with its successor, as a refresh does.
  /// - Returns: `false` if the token does not exist, was replaced before, or belongs to a revoked grant.
  mutating func rotate(_ number: Int64, of grant: Int) throws(StoreError) -> Bool {
    let token = RefreshTokenRecord.example(number, of: .numbered(grant))
    guard try self.refreshToken(token.fingerprint, token.id)?.credential.consumedAt == nil else { return false }
    guard try self.consumeRefreshToken(token.id, sealedSuccessor: [1], at: .example) else { return false }
    try self.insert(RefreshTokenRecord.example(number + 1, of: .numbered(grant)))
    return true
  }
}

extension Store {
  /// Inserts an account, a client, and grants with one refresh token each.
  func prepareExample(grants: Int) async throws {
    let account = try AccountRecord.example
    let client = try ClientRecord.example
    try await self.write { (tx) throws(StoreError) in
      try tx.insert(account)
      try tx.insert(client)
      for number in 0..<grants {
        try tx.insert(
          GrantRecord(
            id: .numbered(number), client: client.id, account: account.id, scope: "openid", authenticatedAt: .example,
            createdAt: .example, expiresAt: .example + .seconds(86_400)))
        try tx.insert(RefreshTokenRecord.example(1, of: .numbered(number)))
      }
    }
  }
}

extension PostgresStore.Limits {
  /// One connection, so that each statement is prepared only once.
  static var single: Self {
    var limits = Self.patient
    limits.connections = 1
    return limits
  }
}
