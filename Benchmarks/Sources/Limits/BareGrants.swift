import SallyportProtocol
import SallyportServer
import Synchronization

/// Calls the store as the server's endpoints do in a code flow and in a refresh, without the other work of the
/// endpoints.
struct BareGrants: Sendable {
  /// The number of refresh tokens that ``rotate()`` uses in turn. The benchmark of the whole server uses the same
  /// number (`KNOWN` in Benchmarks/driver/filled.py), so that the results can be compared.
  private static let knownTokens = 2_000
  /// More than one, because concurrent transactions of the same user may conflict in PostgreSQL.
  private static let userCount = 32
  private static let redirectURI = "https://app.example.com/callback"
  private static let lifetime = Duration.seconds(86_400)

  private struct User {
    let account: AccountID
    let session: Fingerprint
  }

  private struct State {
    var tokens: [(id: RefreshTokenID, fingerprint: Fingerprint)] = []
    var codes: [AuthorizationCode] = []
  }

  /// A class, because a `Mutex` cannot be copied, but ``BareGrants`` can.
  private final class SharedState: Sendable {
    let state = Mutex(State())
  }

  private let store: any Store
  private let client = ClientID(rawValue: "bare")
  private let users: [User]
  private let shared = SharedState()

  init(store: any Store) {
    self.store = store
    self.users = (0..<Self.userCount).map { number in
      User(account: AccountID(rawValue: RandomText.base64URL(bits: 128)), session: Fingerprint(of: Secret("session-\(number)")))
    }
  }

  /// Writes a client, users with browser sessions, and grants that ``rotate()`` uses.
  /// - Parameter tokens: The number of refresh tokens in the database. ``rotate()`` uses some of them.
  func prepare(tokens: Int) async throws {
    let (client, now) = (try self.clientRecord(), Timestamp.now())
    let sessions = try self.users.enumerated().map { number, user in
      guard let username = Username("bare-\(number)") else { throw StoreError.rolledBack }
      let account = AccountRecord(id: user.account, username: username, passwordHash: "", passwordChangedAt: now, createdAt: now)
      let session = BrowserSessionRecord(
        fingerprint: user.session, id: "session-\(number)", account: user.account, authenticatedAt: now,
        authenticationMethods: ["pwd"], lastSeenAt: now, expiresAt: now + Self.lifetime)
      return (account: account, session: session)
    }
    try await self.store.write { (tx) throws(StoreError) in
      try tx.insert(client)
      for (account, session) in sessions {
        try tx.insert(account)
        try tx.insert(session)
        try tx.remember(
          ConsentRecord(
            account: account.id, client: client.id, redirectURI: Self.redirectURI, resources: [], scope: client.scope,
            givenAt: now))
      }
    }
    let fingerprints = (0..<Self.knownTokens).map { number in Fingerprint(of: Secret("token-\(number)")) }
    // `Filling` gives these fingerprints to refresh tokens that are spread over the database, and returns their
    // identifiers.
    let ids = try await Filling(store: self.store, client: self.client.rawValue, tokens: tokens, known: fingerprints).run()
    self.shared.state.withLock { $0.tokens = zip(ids, fingerprints).map { (id: $0, fingerprint: $1) } }
  }

  /// Replaces a refresh token with its successor.
  func rotate() async throws {
    guard let (id, fingerprint) = self.shared.state.withLock({ $0.tokens.popLast() }) else { throw StoreError.conflict }
    let successor = self.token(id.successor)
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.refreshToken(fingerprint, id)?.credential.consumedAt == nil else { throw .conflict }
      // The sealed successor is the token's encrypted successor. The store never decrypts it, so any bytes will do.
      guard try tx.consumeRefreshToken(id, sealedSuccessor: Array(repeating: 1, count: 60), at: .now()) else { throw .conflict }
      try tx.insert(successor)
      try tx.forgetSealedSuccessor(of: id.predecessor)
    }
    // `popLast` takes this token only after all others, so the tokens are used in turn, as if many users refreshed.
    self.shared.state.withLock { $0.tokens.insert((id: successor.id, fingerprint: successor.fingerprint), at: 0) }
  }

  /// Reads a browser session and its consents, and then stores a grant with a code.
  func issueCode() async throws {
    let number = Int.random(in: 0..<Self.userCount)
    let (session, client, now) = (self.users[number].session, self.client, Timestamp.now())
    let found = try await self.store.read { (tx) throws(StoreError) in
      try tx.browserSession(session, withConsentsFor: client, redirectURI: Self.redirectURI)
    }
    guard let found, let consent = found.consents.first else { throw StoreError.conflict }
    let code = AuthorizationCode.random(of: .random(for: found.account.id, at: now, in: self.store.grantOrder))
    let record = AuthorizationCodeRecord(
      fingerprint: code.fingerprint, grant: code.grant, redirectURI: Self.redirectURI,
      challenge: CodeVerifier.random().challenge, expiresAt: .now() + .seconds(60))
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.confirmBrowserSession(session, at: now, seenAfter: now - Self.lifetime) else { throw .conflict }
      guard try tx.confirm(consent) else { throw .conflict }
      try tx.issue(
        self.grant(code.grant, of: self.users[number], session: "session-\(number)"), .consentRemembered, from: .server)
      try tx.insert(record)
    }
    self.shared.state.withLock { $0.codes.append(code) }
  }

  /// Redeems a code.
  func redeemCode() async throws {
    guard let code = self.shared.state.withLock({ $0.codes.popLast() }) else { throw StoreError.conflict }
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.authorizationCode(code.fingerprint, of: code.grant)?.credential.consumedAt == nil else { throw .conflict }
      guard try tx.consumeAuthorizationCode(of: code.grant, at: .now()) else { throw .conflict }
      try tx.insert(self.token(.first(of: code.grant)))
    }
  }

  private func grant(_ id: GrantID, of user: User, session: String) -> GrantRecord {
    GrantRecord(
      id: id, client: self.client, account: user.account, scope: "openid profile email offline_access", sessionID: session,
      authenticatedAt: .now(), createdAt: .now(), expiresAt: .now() + Self.lifetime)
  }

  private func token(_ id: RefreshTokenID) -> RefreshTokenRecord {
    RefreshTokenRecord(id: id, fingerprint: Self.fingerprint(of: id), issuedAt: .now(), expiresAt: .now() + Self.lifetime)
  }

  private static func fingerprint(of id: RefreshTokenID) -> Fingerprint {
    Fingerprint(of: Secret("\(id.grant.rawValue)~\(id.number)"))
  }

  private func clientRecord() throws -> ClientRecord {
    ClientRecord(
      id: self.client, name: "Bare", type: .public, applicationType: .native, origin: .operator,
      redirectURIs: [try RedirectURI(Self.redirectURI)], scope: "openid profile email offline_access",
      createdAt: .now())
  }
}
