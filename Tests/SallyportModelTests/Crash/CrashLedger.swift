import SallyportServer
import Synchronization

/// A record of the responses that clients received while server processes were killed and restarted.
final class CrashLedger: Sendable {
  struct Entries: Sendable {
    /// The last refresh token of each session, and its grant.
    var sessions: [Int: (grant: GrantID, token: String)] = [:]
    /// The number of successful refreshes of the sessions, plus the number of successful redemptions of the codes that
    /// are presented several times.
    var acknowledgedCount = 0
    /// The number of attempts to refresh the sessions that got no response because the process died.
    var diedCount = 0
    /// The number of attempts to refresh the sessions that failed because the store failed, for example because the
    /// disk was full.
    var failedCount = 0
    /// The grants of codes that were presented several times.
    var replayed: [GrantID] = []
    /// Descriptions of responses that the server must not return.
    var faults: [String] = []
  }

  private let entries = Mutex(Entries())

  var current: Entries { self.entries.withLock { $0 } }

  func note(_ change: (inout Entries) -> Void) {
    self.entries.withLock { change(&$0) }
  }

  /// Counts an attempt to refresh a session that must be repeated.
  /// - Parameter reason: `died` if the server process (the probe) died, or `later` if its store failed.
  func noteRepetition(_ reason: String) {
    self.note { if reason == "died" { $0.diedCount += 1 } else { $0.failedCount += 1 } }
  }
}

/// Clients that send requests continuously. They repeat each request until they get a response.
struct CrashLoadGenerator: Sendable {
  let site: CrashSite
  let ledger = CrashLedger()

  /// Refreshes one session until the task is canceled or a refresh is rejected.
  func keepRefreshing(_ session: Int) async throws {
    guard let (grant, first) = try await self.newSession() else { return }
    var token = first
    self.ledger.note { [token] in $0.sessions[session] = (grant, token) }
    while !Task.isCancelled {
      guard let response = await self.site.refresh(token, noting: self.ledger.noteRepetition) else { return }
      guard response.hasPrefix("ok ") else {
        return self.ledger.note { $0.faults.append("session \(session): an acknowledged token was rejected: \(response)") }
      }
      token = String(response.dropFirst(3))
      self.ledger.note { [token] in
        $0.sessions[session] = (grant, token)
        $0.acknowledgedCount += 1
      }
    }
  }

  /// Redeems each code twice concurrently and then once more. At most one redemption may succeed, and its tokens must
  /// be revoked afterward.
  func keepRedeeming() async throws {
    while !Task.isCancelled {
      guard let (code, grant) = try await self.site.newCode() else {
        try? await Task.sleep(for: .milliseconds(5))
        continue
      }
      async let first = self.site.redeem(code)
      async let second = self.site.redeem(code)
      let simultaneous = [await first, await second]
      guard let last = await self.site.redeem(code) else { return }
      let successes = (simultaneous + [last]).compactMap { $0 }.filter { $0.hasPrefix("ok ") }
      self.ledger.note { entries in
        entries.acknowledgedCount += successes.count
        entries.replayed.append(grant)
        if successes.count > 1 { entries.faults.append("a code was redeemed \(successes.count) times") }
      }
      guard let success = successes.first, let response = await self.site.refresh(String(success.dropFirst(3))) else { continue }
      if response.hasPrefix("ok ") { self.ledger.note { $0.faults.append("a refresh token of a replayed code is still valid") } }
    }
  }

  /// Starts a session, and returns its grant and its refresh token, or `nil` if the task is canceled.
  private func newSession() async throws -> (GrantID, String)? {
    while !Task.isCancelled {
      guard let (code, grant) = try await self.site.newCode() else {
        try? await Task.sleep(for: .milliseconds(5))
        continue
      }
      // If the server died between the commit and the response, the repeated redemption is rejected, and the loop gets
      // another code.
      guard let response = await self.site.redeem(code), response.hasPrefix("ok ") else { continue }
      return (grant, String(response.dropFirst(3)))
    }
    return nil
  }
}
