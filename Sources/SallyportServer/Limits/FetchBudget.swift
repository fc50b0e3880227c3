import SallyportProtocol
import Synchronization

/// Limits how many URLs the server fetches for clients that no operator registered, both concurrently and per minute.
///
/// Shares prevent one party from using up the budget (rule S-42):
/// - A host has a share, so that it is not flooded, and many URLs on one host cannot use up the budget.
/// - A client has a share, because it can name many hosts that do not respond.
/// - The address of the caller whose request needs the fetch has a share (5% of the fetches per minute), because one
///   caller can register many clients. Fetches for clients that have obtained a grant do not count toward this share.
/// - All clients that have never obtained a grant share half of the budget.
final class FetchBudget: Sendable {
  /// What is fetched, and for which request.
  struct Purpose: Sendable {
    /// The host and port of the URL, in lowercase.
    let host: String
    /// Nil for a request that registers a client or changes its registration.
    var client: ClientID?
    /// The address of the caller whose request needs the fetch. An unknown address is exempt from the share per
    /// address.
    var address = ClientAddress.unknown
    /// Whether the client has obtained a grant before.
    var hasGrant = false
  }

  /// A slot for one fetch, which is released when this value is deallocated.
  final class Slot: Sendable {
    private let budget: FetchBudget
    private let shares: [Share]

    fileprivate init(_ budget: FetchBudget, _ shares: [Share]) {
      self.budget = budget
      self.shares = shares
    }

    deinit { self.budget.release(self.shares) }
  }

  fileprivate struct Share: Hashable {
    enum Kind: Hashable { case all, withoutGrant, host(String), client(ClientID), address([UInt8]) }
    let kind: Kind
    /// The maximum number of fetches at a time.
    let concurrent: Int
    /// The maximum number of fetches that may start per minute.
    let perMinute: Int
  }

  private struct State {
    /// The fetches in progress.
    var running: [Share.Kind: Int] = [:]
    /// The fetches of the current minute.
    var started = WindowCounter<Share.Kind>(window: SharedQuota.window)
  }

  /// The maximum number of fetches at a time, for all shares together.
  private static let concurrent = 40

  private let perMinute: Int
  private let now: TimeSource
  private let state = Mutex(State())

  /// - Parameter perMinute: The maximum number of fetches per minute.
  init(perMinute: Int, now: @escaping TimeSource) {
    self.perMinute = perMinute
    self.now = now
  }

  /// Reserves a slot.
  /// - Returns: Nil if one of the shares is used up.
  func slot(for purpose: Purpose) -> Slot? {
    let (shares, now) = (self.shares(of: purpose), self.now())
    let isAdmitted = self.state.withLock { state in
      if state.started.hasEnded(at: now) { state.started.reset() }
      for share in shares {
        let (running, started) = (state.running[share.kind] ?? 0, state.started.count(of: share.kind))
        guard running < share.concurrent, started < share.perMinute else { return false }
      }
      for share in shares {
        state.running[share.kind, default: 0] += 1
        state.started.add(share.kind, at: now)
      }
      return true
    }
    return isAdmitted ? Slot(self, shares) : nil
  }

  private func shares(of purpose: Purpose) -> [Share] {
    let quota = QuotaShares(total: self.perMinute)
    // Clients with a grant get larger shares, so that clients without a grant cannot use all slots of a host.
    let perHostOrClient = max(4, self.perMinute / (purpose.hasGrant ? 2 : 4))
    var shares = [
      Share(kind: .all, concurrent: Self.concurrent, perMinute: quota.total),
      Share(kind: .host(purpose.host), concurrent: purpose.hasGrant ? 8 : 4, perMinute: perHostOrClient),
    ]
    if !purpose.hasGrant {
      shares.append(Share(kind: .withoutGrant, concurrent: Self.concurrent / 2, perMinute: quota.unauthenticated))
    }
    if let client = purpose.client { shares.append(Share(kind: .client(client), concurrent: 4, perMinute: perHostOrClient)) }
    // Clients that have obtained a grant are exempt, because many of their users may share an address.
    if !purpose.address.network.isEmpty, !purpose.hasGrant {
      shares.append(Share(kind: .address(purpose.address.network), concurrent: Self.concurrent / 10, perMinute: quota.address))
    }
    return shares
  }

  private func release(_ shares: [Share]) {
    self.state.withLock { state in
      for share in shares {
        let running = state.running[share.kind] ?? 0
        state.running[share.kind] = running > 1 ? running - 1 : nil
      }
    }
  }
}
