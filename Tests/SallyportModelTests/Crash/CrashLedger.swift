import SallyportServer
import Synchronization

/// The responses that clients received while processes died.
final class CrashLedger: Sendable {
  struct Entries: Sendable {
    /// The last refresh token of each session, and its grant.
    var sessions: [Int: (grant: GrantID, token: String)] = [:]
    /// Responses with tokens.
    var acknowledged = 0
    /// Requests whose process died before it responded.
    var died = 0
    /// Requests that failed because the disk was full.
    var refusedForRoom = 0
    /// The grants of codes that were presented several times.
    var replayed: [GrantID] = []
    /// Violations of the rules.
    var faults: [String] = []
  }

  private let entries = Mutex(Entries())

  var current: Entries { self.entries.withLock { $0 } }

  func note(_ change: (inout Entries) -> Void) {
    self.entries.withLock { change(&$0) }
  }

  func noteNoResponse(_ why: String) {
    self.note { if why == "died" { $0.died += 1 } else { $0.refusedForRoom += 1 } }
  }
}

/// Clients that repeat requests without a response.
struct CrashVisitors: Sendable {
  let site: CrashSite
  let ledger = CrashLedger()

  /// Refreshes one session as long as it is valid.
  func keepRefreshing(_ session: Int) async throws {
    guard let (grant, first) = try await self.newSession() else { return }
    var token = first
    self.ledger.note { [token] in $0.sessions[session] = (grant, token) }
    while !Task.isCancelled {
      guard let response = await self.site.refresh(token, noting: self.ledger.noteNoResponse) else { return }
      guard response.hasPrefix("ok ") else {
        return self.ledger.note { $0.faults.append("session \(session): an acknowledged token was refused: \(response)") }
      }
      token = String(response.dropFirst(3))
      self.ledger.note { [token] in
        $0.sessions[session] = (grant, token)
        $0.acknowledged += 1
      }
    }
  }

  /// Redeems each code twice concurrently and once more afterwards. At most one may succeed, and its tokens are then
  /// revoked.
  func keepRedeeming() async throws {
    while !Task.isCancelled {
      guard let (code, grant) = try await self.site.newCode() else {
        try? await Task.sleep(for: .milliseconds(5))
        continue
      }
      async let first = self.site.redeem(code)
      async let second = self.site.redeem(code)
      let atOnce = [await first, await second]
      guard let last = await self.site.redeem(code) else { return }
      let winners = (atOnce + [last]).compactMap { $0 }.filter { $0.hasPrefix("ok ") }
      self.ledger.note { entries in
        entries.acknowledged += winners.count
        entries.replayed.append(grant)
        if winners.count > 1 { entries.faults.append("a code was redeemed \(winners.count) times") }
      }
      guard let winner = winners.first, let response = await self.site.refresh(String(winner.dropFirst(3))) else { continue }
      if response.hasPrefix("ok ") { self.ledger.note { $0.faults.append("a refresh token outlived the replay of its code") } }
    }
  }

  /// Nil if the task is canceled.
  private func newSession() async throws -> (GrantID, String)? {
    while !Task.isCancelled {
      // If the server died between commit and response, the code is consumed, and the sign-in starts again.
      guard let (code, grant) = try await self.site.newCode() else {
        try? await Task.sleep(for: .milliseconds(5))
        continue
      }
      guard let response = await self.site.redeem(code), response.hasPrefix("ok ") else { continue }
      return (grant, String(response.dropFirst(3)))
    }
    return nil
  }
}
