import SallyportProtocol
import Synchronization

/// Records rejected attempts in the background, without delaying the requests.
///
/// Anyone can make any number of attempts, so the number of records is limited. Per minute, each event gets at most
/// ``perMinute`` records in total, and at most ``perSubject`` for the same account or client. Attempts that name
/// neither share one limit. Further attempts are only counted, and recorded in one row per reason when the minute ends.
/// A flood therefore cannot fill the disk, delay sign-ins at the store's writer, or hide attempts against others.
///
/// Records that have not been written are lost if the process stops unexpectedly. This is acceptable, because a
/// rejected attempt changes nothing.
public final class AuditRejections: Sendable {
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

  /// The maximum number of records per event and minute.
  package static var perMinute: Int { 60 }
  /// The maximum number of records per event and minute for the same account or client.
  package static var perSubject: Int { 10 }
  /// The maximum number of records that wait while the store is unavailable.
  private static var maximumPending: Int { 1_000 }

  private let store: any Store
  private let now: TimeSource
  private let signal = WakeSignal()
  private let state = Mutex(State())

  init(store: any Store, now: @escaping TimeSource) {
    self.store = store
    self.now = now
  }

  /// Notes a rejected attempt. Returns without waiting for the store.
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

  /// Writes the pending records in one transaction.
  /// - Parameter isLast: Whether to write the counts of the current minute too, because the server stops.
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

  /// Writes new records until the task is canceled, and then writes the remaining ones.
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
          // Wait before the next attempt. The records stay pending.
          try? await Task.sleep(for: pause)
        }
      }
      group.cancelAll()
    }
    do throws(StoreError) { try await self.flush(isLast: true) } catch { failure(error) }
  }

  /// Closes a minute that has ended: its counts become one record for each reason.
  private static func close(_ state: inout State, at now: Timestamp) {
    guard let minute = state.minute, now >= minute.end else { return }
    state.minute = nil
    for (kind, count) in minute.more.sorted(by: { $0.key.reason.rawValue < $1.key.reason.rawValue }) {
      state.pending.append(AuditRecord(kind.event, kind.reason, more: count, from: .server, at: minute.end))
    }
  }
}
