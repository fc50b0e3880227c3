import SallyportProtocol
import SallyportRemote
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

extension Site {
  /// The URI that receives logout tokens.
  static let backChannelLogoutURI = "https://web.example/backchannel"

  /// Registers a back-channel logout URI and a post-logout redirect URI for a client.
  func registerLogoutURI(for client: TestClient, at uri: String = backChannelLogoutURI) async throws {
    var record = try client.record
    record.details.backchannelLogoutURI = uri
    record.details.postLogoutRedirectURIs = ["https://web.example/bye"]
    try await self.add(record)
  }

  func deliveries() async throws -> [LogoutDeliveryRecord] {
    try await self.fixture.store.read { (tx) throws(StoreError) in try tx.logoutDeliveries() }
  }

  /// Stores a logout delivery that has not been sent yet.
  func insertDelivery(to client: ClientID) async throws {
    let now = self.fixture.clock.now
    try await self.fixture.store.write { (tx) throws(StoreError) in
      guard let account = try tx.accounts(after: nil, limit: 1_000).first else { throw .rolledBack }
      try tx.insert(
        LogoutDeliveryRecord(
          id: RandomText.base64URL(bits: 128), client: client, account: account.id, sessionID: "session", dueAt: now,
          expiresAt: now + .seconds(600)))
    }
  }

  /// Sends all due deliveries.
  /// - Returns: The outcome of each delivery.
  func deliver() async throws -> [LogoutDeliveries.Outcome] {
    let outcomes = Collected<LogoutDeliveries.Outcome>()
    _ = try await self.fixture.server.logoutDeliveries.deliverDue { _, outcome in outcomes.add(outcome) }
    return outcomes.values
  }
}

extension TestBrowser {
  /// Signs out on the server's sign-out page.
  func signOut() async throws {
    _ = try await self.submit(try await self.open("/sign-out"), [])
  }
}
