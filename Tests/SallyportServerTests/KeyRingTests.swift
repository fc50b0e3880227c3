import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("The key ring")
struct KeyRingTests {
  private let start = Timestamp(seconds: 1_000)

  private func ring(at now: Timestamp, _ change: (inout SigningKeyRecord) -> Void) throws -> KeyRing {
    var records = try TestKeys.records(at: self.start)
    for index in records.indices { change(&records[index]) }
    return try KeyRing(records, sealer: KeySealer(try TestKeys.masterKey()), at: now)
  }

  @Test("a key signs from its activation until its retirement, and is not in the key ring after its removal")
  func periods() throws {
    let ring = try self.ring(at: self.start) { record in
      record.activeAt = self.start + .seconds(10)
      record.retiredAt = self.start + .seconds(20)
      record.removedAt = self.start + .seconds(30)
    }
    let id = try TestKeys.key(.es256).id
    for (seconds, signs) in [(0, false), (9, false), (10, true), (19, true), (20, false), (29, false)] {
      #expect((ring.signer(.es256, at: self.start + .seconds(seconds)) != nil) == signs)
    }
    #expect(ring.key(id: id) != nil)
    let ringAfterRemoval = try self.ring(at: self.start + .seconds(30)) { $0.removedAt = self.start + .seconds(30) }
    #expect(ringAfterRemoval.key(id: id) == nil)
    #expect(String(decoding: ringAfterRemoval.document, as: UTF8.self) == #"{"keys":[]}"#)
  }

  @Test("a key that another server has withdrawn is not trusted even if this server's clock is behind, and the new key signs")
  func withdrawn() throws {
    let rotation = self.start + .seconds(2)
    let withdrawn = try self.ring(at: self.start) { record in
      record.retiredAt = rotation
      record.removedAt = rotation
    }
    let id = try TestKeys.key(.es256).id
    #expect(withdrawn.key(id: id) == nil && withdrawn.hintKey(id: id) == nil && withdrawn.published.isEmpty)
    #expect(withdrawn.signer(.es256, at: self.start) == nil)
    let new = try self.ring(at: self.start) { $0.activeAt = rotation }
    #expect(new.signer(.es256, at: self.start) != nil)
  }

  @Test("an immediate rotation withdraws all old keys, including those that were retired before")
  func withdrawsRetiredKeys() async throws {
    let fixture = try await TestServer()
    let management = KeyManagement(store: fixture.store, masterKey: fixture.masterKey, now: fixture.clock.source)
    let old = Set(try await management.list().map(\.id))
    _ = try await management.rotate()
    fixture.clock.advance(by: .seconds(86_400))
    _ = try await management.rotate(immediately: true)
    let records = try await fixture.store.read { (tx) throws(StoreError) in try tx.signingKeys() }
    #expect(!old.isEmpty && old.isSubset(of: records.filter(\.isWithdrawn).map(\.id)))
    #expect(records.allSatisfy { $0.isWithdrawn == ($0.retiredAt != nil) })
  }

  @Test("there is no default key for an unknown kid", arguments: ["", "x", "0"])
  func unknown(id: String) throws {
    #expect(try self.ring(at: self.start) { _ in }.key(id: id) == nil)
  }

  @Test("if the server's own keys cannot be used, a pushed request gets server_error")
  func pushedRequest() {
    let response = PushedRequestError(.page(.keys(.noActiveKey("ES256")))).response
    #expect(response.code == .serverError)
  }
}
