import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Testing

extension Site {
  /// Returns the records of the audit trail, oldest first, including rejected attempts. Omits the records of added
  /// accounts.
  /// - Parameter change: Changes the query, for example to restrict it to some events.
  func trail(_ change: (inout AuditQuery) -> Void = { _ in }) async throws -> [AuditRecord] {
    try await self.fixture.server.rejections.flush()
    var query = AuditQuery(limit: 10_000)
    query.order = .oldestFirst
    change(&query)
    let finalQuery = query
    return try await self.fixture.store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(finalQuery) }
      .filter { $0.event != .accountAdded }
  }

  /// Returns the records of one event, oldest first.
  func trail(_ event: AuditEvent) async throws -> [AuditRecord] {
    try await self.trail { $0.events = [event] }
  }

  /// Returns the event and the reason of each record of ``trail(_:)``, as in ``AuditRecord/words``.
  func events() async throws -> [String] {
    try await self.trail().map(\.words)
  }

  /// Returns the ID of the account with this user name.
  func account(_ username: String = "ada") async throws -> AccountID {
    try #require(try await self.fixture.server.accounts.list().first { $0.username.value == username }?.id)
  }
}

extension Reply {
  /// The request ID that the server assigned.
  var requestID: String? {
    self.headers.first { $0.name.canonicalName == "x-request-id" }?.value
  }
}

extension AuditRecord {
  /// The event and the reason as text, for example `grant-issued consent-given`.
  var words: String {
    [self.event.rawValue, self.reason?.rawValue].compactMap(\.self).joined(separator: " ")
  }
}
