import SallyportProtocol
import SallyportRemote

/// Request objects as they were found at the addresses of clients, kept for a short time (OpenID Connect Core §6.2).
///
/// Anybody can send people to a client's address, so one fetch serves all who come while it runs and shortly after.
actor FetchedRequestObjects {
  private static let lifetime = Duration.seconds(30)

  struct Address: Hashable {
    let client: ClientID
    let uri: String
  }

  private let now: TimeSource
  private var running: [Address: Task<[UInt8]?, Never>] = [:]
  private var kept = BoundedCache<Address, (body: [UInt8], since: Timestamp)>(capacity: 200)

  init(now: @escaping TimeSource) {
    self.now = now
  }

  /// What is kept, what the fetch that is under way brings, or what `fetch` does. A failure is not kept.
  func body(at address: Address, fetch: @escaping @Sendable () async -> [UInt8]?) async -> [UInt8]? {
    if let known = self.kept.value(for: address), (.zero..<Self.lifetime).contains(self.now() - known.since) { return known.body }
    if let task = self.running[address] { return await task.value }
    let task = Task {
      let body = await fetch()
      self.finish(address, body)
      return body
    }
    self.running[address] = task
    return await task.value
  }

  private func finish(_ address: Address, _ body: [UInt8]?) {
    self.running[address] = nil
    if let body { self.kept.insert((body, self.now()), for: address) }
  }
}
