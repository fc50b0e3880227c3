import HTTPTypes
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Testing

extension Site {
  /// The audit trail, oldest first, with the refusals that were noted until now; without those before the test began.
  func trail(_ change: (inout AuditQuery) -> Void = { _ in }) async throws -> [AuditRecord] {
    try await self.fixture.server.refusals.flush()
    var query = AuditQuery(limit: 10_000)
    query.order = .oldestFirst
    change(&query)
    let asked = query
    return try await self.fixture.store.read { (snapshot) throws(StoreError) in try snapshot.auditRecords(asked) }
      .filter { $0.event != .accountAdded }
  }

  /// The event and the reason of each record.
  func events() async throws -> [String] {
    try await self.trail().map(\.words)
  }

  func account(_ username: String = "ada") async throws -> AccountID {
    try #require(try await self.fixture.server.accounts.list().first { $0.username.value == username }?.id)
  }
}

extension Reply {
  /// The identifier under which the server knows the request.
  var requestID: String? {
    self.headers.first { $0.name.canonicalName == "x-request-id" }?.value
  }
}

extension AuditRecord {
  /// Such as `grant-issued consent-given`.
  var words: String {
    [self.event.rawValue, self.reason?.rawValue].compactMap(\.self).joined(separator: " ")
  }
}
