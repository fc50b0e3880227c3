import SallyportProtocol
import Synchronization

/// Writes down who was refused, beside the requests and not in their way.
///
/// Anybody may be refused as often as they like, so what that leaves behind is bounded: of each event so many rows a minute, a few of
/// them for one account or client (all that name none are one), and what comes beyond is counted and told in one row when the minute is
/// over. A flood thus neither fills the disk, nor takes turns of the store's writer from those who sign in, nor hides what befell others.
/// What a process has not written yet is lost with it; a refusal changes nothing that anybody relies on.
public final class AuditRefusals: Sendable {
  private struct Kind: Hashable {
    let event: AuditEvent
    let reason: AuditReason
  }

  private struct Subject: Hashable {
    let event: AuditEvent
    let account: AccountID?
    let client: ClientID?
  }

  private struct Minute {
    let end: Timestamp
    var ofEvent: [AuditEvent: Int] = [:]
    var ofSubject: [Subject: Int] = [:]
    var more: [Kind: Int] = [:]
  }

  private struct State {
    var minute: Minute?
    var pending: [AuditRecord] = []
  }

  /// Rows that one minute leaves of one event.
  package static var perMinute: Int { 60 }
  /// And of these, for one account or client.
  package static var perSubject: Int { 10 }
  /// What waits at most for a store that does not answer.
  private static var maximumPending: Int { 1_000 }

  private let store: any Store
  private let now: TimeSource
  private let signal = WakeSignal()
  private let state = Mutex(State())

  init(store: any Store, now: @escaping TimeSource) {
    self.store = store
    self.now = now
  }

  /// Notes a refusal. Costs the request no wait.
  package func note(
    _ event: AuditEvent, _ reason: AuditReason, account: AccountID? = nil, client: ClientID? = nil, from origin: AuditOrigin
  ) {
    let now = self.now()
    self.state.withLock { state in
      Self.close(&state, at: now)
      var minute = state.minute ?? Minute(end: now + .seconds(60))
      let subject = Subject(event: event, account: account, client: client)
      let (all, own) = (minute.ofEvent[event, default: 0], minute.ofSubject[subject, default: 0])
      if all < Self.perMinute, own < Self.perSubject, state.pending.count < Self.maximumPending {
        minute.ofEvent[event] = all + 1
        minute.ofSubject[subject] = own + 1
        state.pending.append(AuditRecord(event, reason, account: account, client: client, from: origin, at: now))
      } else {
        minute.more[Kind(event: event, reason: reason), default: 0] += 1
      }
      state.minute = minute
    }
    self.signal.send()
  }

  /// Writes what is to be written, in one transaction.
  /// - Parameter isLast: also what was counted in the minute that is not over.
  package func flush(isLast: Bool = false) async throws(StoreError) {
    let now = self.now()
    let records = self.state.withLock { state in
      Self.close(&state, at: isLast ? state.minute?.end ?? now : now)
      defer { state.pending = [] }
      return state.pending
    }
    guard !records.isEmpty else { return }
    do throws(StoreError) {
      try await self.store.write { (tx) throws(StoreError) in
        for record in records { try tx.insert(record) }
      }
    } catch {
      self.state.withLock { state in state.pending = Array((records + state.pending).prefix(Self.maximumPending)) }
      throw error
    }
  }

  /// Writes down refusals as they come until the task is cancelled, and the rest then.
  public func run(
    pause: Duration = .seconds(5), failure: @escaping @Sendable (StoreError) -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while !Task.isCancelled {
          try? await Task.sleep(for: pause)
          self.signal.send()
        }
      }
      for await _ in self.signal.stream {
        do throws(StoreError) { try await self.flush() } catch {
          failure(error)
          // Who cannot be written now is written with the next look, and not in a loop.
          try? await Task.sleep(for: pause)
        }
      }
      group.cancelAll()
    }
    do throws(StoreError) { try await self.flush(isLast: true) } catch { failure(error) }
  }

  /// Ends a minute that is over: what was only counted in it becomes a row for each reason.
  private static func close(_ state: inout State, at now: Timestamp) {
    guard let minute = state.minute, now >= minute.end else { return }
    state.minute = nil
    for (kind, count) in minute.more.sorted(by: { $0.key.reason.rawValue < $1.key.reason.rawValue }) {
      state.pending.append(AuditRecord(kind.event, kind.reason, more: count, from: .server, at: minute.end))
    }
  }
}
