import Foundation
import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

/// A database with server processes that die and are restarted.
final class CrashSite: Sendable {
  let database: TestDatabase
  private let store: any Store
  private let probes: Mutex<[Probe?]>
  private static let client = TestClient.loopback
  private static let account = AccountID(rawValue: "acct-ada")

  /// On average, a process dies once in this many commits: after a commit, but before it responds to the request.
  private static let lifespan = 40

  init(_ database: TestDatabase, processes: Int) async throws {
    // Writing to a process that has died must fail with an error instead of ending the tests.
    signal(SIGPIPE, SIG_IGN)
    self.database = database
    self.store = try database.open()
    self.probes = Mutex(Array(repeating: nil, count: processes))
    let (now, client) = (Timestamp.now(), try Self.client.record)
    let keys = try TestKeys.records(at: now)
    let account = AccountRecord(
      id: Self.account, username: try #require(Username("ada")), passwordHash: "-", passwordChangedAt: now, createdAt: now)
    try await self.store.write { (tx) throws(StoreError) in
      for key in keys { try tx.insert(key) }
      try tx.insert(client)
      try tx.insert(account)
    }
  }

  deinit { try? TestDatabase.close(self.store) }

  /// Runs the process with this index, and restarts it each time it dies, until the task is canceled.
  func supervise(_ index: Int) async {
    while !Task.isCancelled {
      guard let probe = try? await Probe(database: self.database, dyingOnceIn: Self.lifespan) else {
        // The disk may be full, or the database server may be down.
        try? await Task.sleep(for: .milliseconds(20))
        continue
      }
      self.probes.withLock { $0[index] = probe }
      await withTaskCancellationHandler {
        await probe.death()
      } onCancel: {
        probe.kill()
      }
    }
  }

  /// Kills a randomly chosen process, if it is running.
  func killOne() {
    self.randomProbe()?.kill()
  }

  /// Returns a randomly chosen process, or `nil` if the chosen process has not started yet.
  private func randomProbe() -> Probe? {
    // The elements are optional, so `randomElement()` returns a nested optional.
    self.probes.withLock { $0.randomElement() ?? nil }
  }

  /// Sends a request to randomly chosen processes until one responds.
  /// - Parameter note: Called each time that the request must be sent again, with the reason: `died`, or `later` if
  ///   the store of the process failed.
  /// - Returns: `ok` with the refresh token, `refused` with a reason, or `nil` if the task is canceled.
  func ask(_ form: [(name: String, value: String)], noting note: @Sendable (String) -> Void = { _ in }) async -> String? {
    let text = FormParameters.encode(form)
    while !Task.isCancelled {
      let probe = self.randomProbe()
      let response = await probe?.ask(text)
      if let response, response != "later" { return response }
      if probe != nil { note(response ?? "died") }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return nil
  }

  func redeem(_ code: String) async -> String? {
    await self.ask([
      ("grant_type", "authorization_code"), ("code", code), ("client_id", Self.client.rawValue),
      ("redirect_uri", Self.client.requestedURI), ("code_verifier", AuthorizeParameters.verifier),
    ])
  }

  func refresh(_ token: String, noting note: @Sendable (String) -> Void = { _ in }) async -> String? {
    await self.ask(
      [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", Self.client.rawValue)], noting: note)
  }

  /// Stores a code as if the user had given consent.
  /// - Returns: The code and its grant, or `nil` if the store is unavailable or does not know whether it stored them.
  func newCode() async throws -> (code: String, grant: GrantID)? {
    let now = Timestamp.now()
    let code = AuthorizationCode.random(of: GrantID(rawValue: RandomText.base64URL(bits: 128)))
    let grant = GrantRecord(
      id: code.grant, client: Self.client.id, account: Self.account,
      scope: "offline_access", authenticatedAt: now, createdAt: now, expiresAt: now + .seconds(86_400))
    let record = AuthorizationCodeRecord(
      fingerprint: code.fingerprint, grant: grant.id, redirectURI: Self.client.requestedURI,
      challenge: try CodeChallenge(stored: AuthorizeParameters.challenge), expiresAt: now + .seconds(600))
    do throws(StoreError) {
      try await self.store.write { (tx) throws(StoreError) in
        try tx.insert(grant)
        try tx.insert(record)
      }
    } catch .unavailable { return nil } catch .outcomeUnknown { return nil }
    return (code.text.reveal(), grant.id)
  }

  /// What the database contains about a grant.
  struct GrantState: Equatable {
    var isRevoked: Bool
    var liveTokens: Int
  }

  func state(of grant: GrantID) throws -> GrantState? {
    let rows = try self.database.query(
      """
      SELECT count(revoked_at),
        (SELECT count(*) FROM refresh_token WHERE grant_id = oauth_grant.id AND consumed_at IS NULL)
      FROM oauth_grant WHERE id = '\(grant.rawValue)' GROUP BY id
      """)
    return rows.first.flatMap { row in Int(row[1]).map { GrantState(isRevoked: row[0] == "1", liveTokens: $0) } }
  }
}
