import SallyportRemote
import Synchronization
import Testing

/// A record of the responses that clients received while the server was killed repeatedly.
final class Ledger: Sendable {
  struct Entries: Sendable {
    /// The current refresh token of each session, from the last response.
    var sessions: [Int: String] = [:]
    /// The number of times that each code was redeemed. A code that was never redeemed is missing.
    var redemptions: [String: Int] = [:]
    /// The number of responses with tokens. The server must not lose these tokens, because clients have received them.
    var acknowledgedCount = 0
    /// Descriptions of responses that the server must not return.
    var faults: [String] = []
  }

  private let entries = Mutex(Entries())

  var current: Entries { self.entries.withLock { $0 } }

  func note(_ change: (inout Entries) -> Void) {
    self.entries.withLock { change(&$0) }
  }
}

/// Clients that send requests continuously. They repeat a request that gets no response, as real clients do.
struct LoadGenerator: Sendable {
  let app: HTTPApp
  let browser: HTTPBrowser
  let account: ServerHome.Account
  let ledger: Ledger

  /// Refreshes one session repeatedly.
  /// - Parameter session: The session's number in the ledger.
  func keepRefreshing(_ session: Int) async throws {
    guard var token = try await self.newSession() else { return }
    self.ledger.note { $0.sessions[session] = token }
    while !Task.isCancelled {
      guard let response = try await self.retrying({ [token] in try await self.app.refresh(token) }) else { return }
      guard let next = response.body.refreshToken else {
        self.ledger.note { $0.faults.append("session \(session): an acknowledged token was rejected: \(response)") }
        return
      }
      token = next
      self.ledger.note { [token] in
        $0.sessions[session] = token
        $0.acknowledgedCount += 1
      }
    }
  }

  /// Redeems each code in two requests at the same time, and tries it once more afterward.
  func keepRedeeming() async throws {
    while !Task.isCancelled {
      guard let (code, pending) = try await self.retrying({ try await self.newCode() }) else { return }
      async let first = self.retrying { try await self.app.redeem(code, for: pending) }
      async let second = self.retrying { try await self.app.redeem(code, for: pending) }
      let simultaneous = [try await first, try await second]
      for response in try await simultaneous + [self.retrying { try await self.app.redeem(code, for: pending) }] {
        guard response?.body.refreshToken != nil else { continue }
        self.ledger.note {
          $0.redemptions[code, default: 0] += 1
          $0.acknowledgedCount += 1
        }
      }
    }
  }

  /// Returns the refresh token of a new grant, or `nil` if the task is canceled.
  private func newSession() async throws -> String? {
    while !Task.isCancelled {
      guard let (code, pending) = try await self.retrying({ try await self.newCode() }) else { return nil }
      // If the server was killed between the commit and the response, the code is used, but its tokens are lost. The
      // loop then gets another code.
      if let token = try? await self.app.redeem(code, for: pending).body.refreshToken { return token }
    }
    return nil
  }

  private func newCode() async throws -> (code: String, pending: HTTPApp.PendingRequest) {
    let pending = try self.app.begin()
    let location = try await self.browser.authorize(pending.url, as: self.account)
    return (try self.app.code(in: location, for: pending), pending)
  }

  /// Repeats a request until there is a response. Returns `nil` if the task is canceled.
  private func retrying<R: Sendable>(_ request: @Sendable () async throws -> R) async throws -> R? {
    while !Task.isCancelled {
      do { return try await request() } catch is TransportError {
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    return nil
  }
}
