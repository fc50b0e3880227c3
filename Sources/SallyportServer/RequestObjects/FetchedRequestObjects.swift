import SallyportProtocol
import SallyportRemote

/// Request objects as they were found at the addresses of clients, kept for a short time (OpenID Connect Core §6.2).
///
/// Anybody can send people to a client's address, so one fetch serves all who come while it runs and shortly after: also one that
/// brought nothing, or a dead address could be used to spend what its client, or all of them together, may have fetched.
actor FetchedRequestObjects {
  private static let lifetime = Duration.seconds(30)
  private static let lifetimeOfFailure = Duration.seconds(15)

  struct Address: Hashable {
    let client: ClientID
    let uri: String
    let isOperators: Bool
  }

  private struct Found {
    let body: [UInt8]?
    let since: Timestamp

    func isGood(at now: Timestamp) -> Bool {
      (.zero..<(self.body == nil ? lifetimeOfFailure : lifetime)).contains(now - self.since)
    }
  }

  private let now: TimeSource
  private var running: [Address: Task<[UInt8]?, Never>] = [:]
  private var operators = BoundedCache<Address, Found>(capacity: 200)
  /// By themselves, so that strangers cannot push operators' clients out of memory.
  private var strangers = BoundedCache<Address, Found>(capacity: 200)

  init(now: @escaping TimeSource) {
    self.now = now
  }

  /// What is kept, what the fetch that is under way brings, or what `fetch` does.
  /// - Parameters:
  ///   - reserve: takes a place for a fetch; nil if the caller's share is used up, which is not remembered: others have theirs.
  ///   - fetch: brings the body.
  func body<Place: Sendable>(
    at address: Address, reserve: @Sendable () -> Place?, fetch: @escaping @Sendable (Place) async -> [UInt8]?
  ) async -> [UInt8]? {
    let known = address.isOperators ? self.operators.value(for: address) : self.strangers.value(for: address)
    if let known, known.isGood(at: self.now()) { return known.body }
    if let task = self.running[address] { return await task.value }
    guard let place = reserve() else { return nil }
    let task = Task {
      let body = await fetch(place)
      self.finish(address, Found(body: body, since: self.now()))
      return body
    }
    self.running[address] = task
    return await task.value
  }

  private func finish(_ address: Address, _ found: Found) {
    self.running[address] = nil
    if address.isOperators { self.operators.insert(found, for: address) } else { self.strangers.insert(found, for: address) }
  }
}
