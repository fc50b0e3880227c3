import SallyportRemote
import Synchronization
import Testing

/// What clients were promised while the server was killed again and again.
final class Ledger: Sendable {
  struct Entries: Sendable {
    /// The refresh token that each session holds by the server's last word.
    var sessions: [Int: String] = [:]
    /// How often each code was turned into tokens.
    var redemptions: [String: Int] = [:]
    /// Answers with tokens in them.
    var acknowledged = 0
    /// What must not have happened.
    var faults: [String] = []
  }

  private let entries = Mutex(Entries())

  var current: Entries { self.entries.withLock { $0 } }

  func note(_ change: (inout Entries) -> Void) {
    self.entries.withLock { change(&$0) }
  }
}

/// Clients at work. A request that gets no answer is asked again, as a real client would.
struct Visitors: Sendable {
  let app: HTTPApp
  let person: HTTPPerson
  let account: ServerHome.Person
  let ledger: Ledger

  /// Refreshes one session for as long as it may.
  func keepRefreshing(_ session: Int) async throws {
    guard var token = try await self.newSession() else { return }
    self.ledger.note { $0.sessions[session] = token }
    while !Task.isCancelled {
      guard let answer = try await self.asking({ [token] in try await self.app.refresh(token) }) else { return }
      guard let next = answer.body.refreshToken else {
        self.ledger.note { $0.faults.append("session \(session): an acknowledged token was refused: \(answer)") }
        return
      }
      token = next
      self.ledger.note { [token] in
        $0.sessions[session] = token
        $0.acknowledged += 1
      }
    }
  }

  /// Redeems each code twice at once, and once more afterwards.
  func keepRedeeming() async throws {
    while !Task.isCancelled {
      guard let (code, pending) = try await self.asking({ try await self.newCode() }) else { return }
      async let first = self.asking { try await self.app.redeem(code, for: pending) }
      async let second = self.asking { try await self.app.redeem(code, for: pending) }
      let third = [try await first, try await second]
      for answer in try await third + [self.asking { try await self.app.redeem(code, for: pending) }] {
        guard answer?.body.refreshToken != nil else { continue }
        self.ledger.note {
          $0.redemptions[code, default: 0] += 1
          $0.acknowledged += 1
        }
      }
    }
  }

  /// A refresh token of a new grant; nil when told to stop.
  private func newSession() async throws -> String? {
    while !Task.isCancelled {
      guard let (code, pending) = try await self.asking({ try await self.newCode() }) else { return nil }
      // Where the server died between commit and answer, the code is spent: such a sign-in starts again.
      if let token = try? await self.app.redeem(code, for: pending).body.refreshToken { return token }
    }
    return nil
  }

  private func newCode() async throws -> (code: String, pending: HTTPApp.Pending) {
    let pending = try self.app.begin()
    let location = try await self.person.answer(pending.url, as: self.account)
    return (try self.app.code(in: location, for: pending), pending)
  }

  /// Asks until there is an answer: a killed server is one that does not answer. Nil when told to stop.
  private func asking<R: Sendable>(_ request: @Sendable () async throws -> R) async throws -> R? {
    while !Task.isCancelled {
      do { return try await request() } catch is TransportError {
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    return nil
  }
}
