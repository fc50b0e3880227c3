import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var pushedRequestCases: [Case] {
    [
      Case("RFC 9126: a pushed request is stored with all its values, has a unique fingerprint, and is removed with its client") {
        try await self.findsPushedRequests($0)
      }
    ]
  }

  private static func findsPushedRequests(_ harness: Harness) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(PushedRequestRecord.example())
      try check(tx.pushedRequest(.example(1)) == .example(), "the request must be found with all its values")
      try check(tx.pushedRequest(.example(2)) == nil, "another fingerprint must not match")
    }
    try await expectError(.conflict, "the same fingerprint") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(PushedRequestRecord.example()) }
    }
    try await store.write { (tx) throws(StoreError) in
      _ = try tx.removeClient(ClientID(rawValue: "client"), tx.recordExample())
    }
    let remaining = try await store.read { (snapshot) throws(StoreError) in try snapshot.pushedRequest(.example(1)) }
    try expect(remaining, is: nil, "the request of a removed client")
  }
}
