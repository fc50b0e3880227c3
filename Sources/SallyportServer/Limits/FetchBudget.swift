import SallyportProtocol
import Synchronization

/// How many addresses that strangers named the server opens: at a time, and in a minute.
///
/// Shares keep everyone else going: one host gets a part, so that many addresses on one host neither use up the budget nor flood that host;
/// so does a client, which can name many hosts that hang; and the address of the caller for whom something is fetched gets 5 %, since
/// anyone can register many clients. Clients that nobody has granted anything to get half of the budget together (rule S-42).
final class FetchBudget: Sendable {
  /// What is fetched, and for whom.
  struct Purpose: Sendable {
    let host: String
    /// Nil while the client is not registered.
    var client: ClientID?
    /// Whose request it is for. A connection without an address has no share of its own.
    var asker = ClientAddress.unknown
    /// Whether the client has obtained a grant before.
    var hasGrant = false
  }

  /// A place for one fetch, held as long as the value lives.
  final class Place: Sendable {
    private let budget: FetchBudget
    private let shares: [Share]

    fileprivate init(_ budget: FetchBudget, _ shares: [Share]) {
      self.budget = budget
      self.shares = shares
    }

    deinit { self.budget.leave(self.shares) }
  }

  fileprivate struct Share: Hashable {
    enum Kind: Hashable { case all, withoutGrant, host(String), client(ClientID), asker([UInt8]) }
    let kind: Kind
    let concurrent: Int
    let perMinute: Int
  }

  private struct Use {
    var running = 0
    var started = 0
  }

  private struct State {
    var since: Timestamp?
    var uses: [Share.Kind: Use] = [:]
  }

  private static let concurrent = 40

  private let perMinute: Int
  private let now: TimeSource
  private let state = Mutex(State())

  init(perMinute: Int, now: @escaping TimeSource) {
    self.perMinute = perMinute
    self.now = now
  }

  /// - Returns: nil if one of the shares is used up.
  func place(for purpose: Purpose) -> Place? {
    let (shares, now) = (self.shares(of: purpose), self.now())
    let isAdmitted = self.state.withLock { state in
      if state.since.map({ !(.zero..<SharedQuota.window).contains(now - $0) }) ?? true {
        state.since = now
        state.uses = state.uses.filter { $0.value.running > 0 }.mapValues { Use(running: $0.running) }
      }
      for share in shares {
        let use = state.uses[share.kind] ?? Use()
        guard use.running < share.concurrent, use.started < share.perMinute else { return false }
      }
      for share in shares {
        state.uses[share.kind, default: Use()].running += 1
        state.uses[share.kind, default: Use()].started += 1
      }
      return true
    }
    return isAdmitted ? Place(self, shares) : nil
  }

  private func shares(of purpose: Purpose) -> [Share] {
    let quota = QuotaShares(total: self.perMinute)
    // What clients without a grant leave of a host is there for the others.
    let part = max(4, self.perMinute / (purpose.hasGrant ? 2 : 4))
    var shares = [
      Share(kind: .all, concurrent: Self.concurrent, perMinute: quota.total),
      Share(kind: .host(purpose.host), concurrent: purpose.hasGrant ? 8 : 4, perMinute: part),
    ]
    if !purpose.hasGrant {
      shares.append(Share(kind: .withoutGrant, concurrent: Self.concurrent / 2, perMinute: quota.unauthenticated))
    }
    if let client = purpose.client { shares.append(Share(kind: .client(client), concurrent: 4, perMinute: part)) }
    // Not for clients that have obtained a grant: many of their users may come from one address.
    if !purpose.asker.network.isEmpty, !purpose.hasGrant {
      shares.append(Share(kind: .asker(purpose.asker.network), concurrent: Self.concurrent / 10, perMinute: quota.address))
    }
    return shares
  }

  private func leave(_ shares: [Share]) {
    self.state.withLock { state in
      for share in shares { state.uses[share.kind]?.running -= 1 }
    }
  }
}
