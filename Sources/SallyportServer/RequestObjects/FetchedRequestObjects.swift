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

  enum Outcome: Sendable {
    /// What is there; nil if there is nothing, or the host does not answer.
    case fetched([UInt8]?)
    /// A share was used up, which says nothing about the address and is not remembered.
    case refused
  }

  private struct Found {
    let body: [UInt8]?
    let since: Timestamp

    func isGood(at now: Timestamp) -> Bool {
      (.zero..<(self.body == nil ? lifetimeOfFailure : lifetime)).contains(now - self.since)
    }
  }

  private let now: TimeSource
  private var running: [Address: Task<Outcome, Never>] = [:]
  private var operators = BoundedCache<Address, Found>(capacity: 200)
  /// By themselves, so that strangers cannot push operators' clients out of memory.
  private var strangers = BoundedCache<Address, Found>(capacity: 200)

  init(now: @escaping TimeSource) {
    self.now = now
  }

  /// What is kept, what the fetch that is under way brings, or what `fetch` does.
  func body(at address: Address, fetch: @escaping @Sendable () async -> Outcome) async -> [UInt8]? {
    // The share of the caller who began that fetch may be used up, and this one's not.
    while let task = self.running[address] {
      if case .fetched(let body) = await task.value { return body }
    }
    let known = address.isOperators ? self.operators.value(for: address) : self.strangers.value(for: address)
    if let known, known.isGood(at: self.now()) { return known.body }
    let task = Task {
      let outcome = await fetch()
      self.finish(address, outcome)
      return outcome
    }
    self.running[address] = task
    guard case .fetched(let body) = await task.value else { return nil }
    return body
  }

  private func finish(_ address: Address, _ outcome: Outcome) {
    self.running[address] = nil
    guard case .fetched(let body) = outcome else { return }
    let found = Found(body: body, since: self.now())
    if address.isOperators { self.operators.insert(found, for: address) } else { self.strangers.insert(found, for: address) }
  }
}
