import SallyportProtocol
import SallyportServer

extension StoreConformance {
  static var pushedRequestCases: [Case] {
    [
      Case("RFC 9126: a pushed request is found as it was inserted, also when it was used") {
        try await self.findsPushedRequests($0)
      },
      Case("RFC 9126: a pushed request is used once, by one of 50 callers") { try await self.consumesPushedRequestsOnce($0) },
    ]
  }

  private static func findsPushedRequests(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in
      try tx.insert(PushedRequestRecord.example())
      try agree(tx.pushedRequest(.example(1)) == .example(), "the request")
      try agree(tx.pushedRequest(.example(2)) == nil, "there is no other")
      _ = try tx.consumePushedRequest(.example(1), at: .start)
      try agree(tx.pushedRequest(.example(1))?.consumedAt == .start, "the used request")
    }
    try await expectRefusal(.conflict, "the same fingerprint") {
      try await store.write { (tx) throws(StoreError) in try tx.insert(PushedRequestRecord.example()) }
    }
    try await store.write { (tx) throws(StoreError) in _ = try tx.removeClient(ClientID(rawValue: "client")) }
    let left = try await store.read { (snapshot) throws(StoreError) in try snapshot.pushedRequest(.example(1)) }
    try expect(left, is: nil, "the request of a client that is gone")
  }

  private static func consumesPushedRequestsOnce(_ harness: Harness<S>) async throws {
    let store = try await harness.openWithClient()
    try await store.write { (tx) throws(StoreError) in try tx.insert(PushedRequestRecord.example()) }
    let winners = try await race(50) { index in
      try await store.write { (tx) throws(StoreError) in
        try tx.consumePushedRequest(.example(1), at: .start + .seconds(Int64(index)))
      }
    }
    try expect(winners, is: 1, "callers who used it")
    let other = try await store.write { (tx) throws(StoreError) in try tx.consumePushedRequest(.example(2), at: .start) }
    try expect(!other, "there is no other request")
  }
}
