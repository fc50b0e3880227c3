import SallyportProtocol
import Synchronization

/// Records rejected attempts in the background, without delaying the requests.
///
/// Anyone can make any number of attempts, so the number of records is limited. Per minute, each event gets at most
/// ``perMinute`` records in total, and at most ``perSubject`` for the same account or client. Attempts with neither an
/// account nor a client share one limit. Further attempts are only counted, by event and reason. When the minute ends,
/// each count is stored as one record. A flood of attempts therefore cannot fill the disk or delay sign-ins, and a
/// flood against one account does not hide attempts against other accounts.
///
/// Records that have not been written are lost if the process stops unexpectedly. This is acceptable, because a
/// rejected attempt changes nothing.
public final class AuditRejections: Sendable {
  private enum Counter: Hashable {
    /// The records of an event.
    case event(AuditEvent)
    /// The records of an event for the same account or client.
    case subject(AuditEvent, AccountID?, ClientID?)
    /// The attempts that were not recorded, because a limit was reached.
    case unrecorded(AuditEvent, AuditReason)
  }

  private struct State {
    var minute = WindowCounter<Counter>(window: .seconds(60))
    var pending: [AuditRecord] = []

    /// Ends the minute. Adds one record for each event and reason with unrecorded attempts; the record's `more` is
    /// their number.
    mutating func endMinute() {
      guard let end = self.minute.end else { return }
      let unrecorded = self.minute.counts.compactMap { counter, count -> (event: AuditEvent, reason: AuditReason, count: Int)? in
        if case .unrecorded(let event, let reason) = counter { (event, reason, count) } else { nil }
      }
      for entry in unrecorded.sorted(by: { $0.reason.rawValue < $1.reason.rawValue }) {
        self.pending.append(AuditRecord(entry.event, entry.reason, more: entry.count, from: .server, at: end))
      }
      self.minute.reset()
    }
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
  /// - Parameter subject: What else the attempt concerns; see ``AuditRecord/subject``. It must not come from the
  ///   request, which can contain any text.
  package func note(
    _ event: AuditEvent, _ reason: AuditReason, account: AccountID? = nil, client: ClientID? = nil,
    subject: String? = nil, from origin: AuditOrigin
  ) {
    let now = self.now()
    self.state.withLock { state in
      if state.minute.hasEnded(at: now) { state.endMinute() }
      let (eventCounter, subjectCounter) = (Counter.event(event), Counter.subject(event, account, client))
      if state.minute.count(of: eventCounter) < Self.perMinute, state.minute.count(of: subjectCounter) < Self.perSubject,
        state.pending.count < Self.maximumPending
      {
        state.minute.add(eventCounter, subjectCounter, at: now)
        state.pending.append(
          AuditRecord(event, reason, account: account, client: client, subject: subject, from: origin, at: now))
      } else {
        state.minute.add(.unrecorded(event, reason), at: now)
      }
    }
    self.signal.send()
  }

  /// Writes the pending records in one transaction. If this fails, the records stay pending. They may have been written
  /// anyway (``StoreError/outcomeUnknown(reason:)``), but the next attempt does not write them a second time.
  /// - Parameter isLast: Whether to write the counts of the current minute too, because the server is stopping.
  package func flush(isLast: Bool = false) async throws(StoreError) {
    let now = self.now()
    let records = self.state.withLock { state in
      if isLast || state.minute.hasEnded(at: now) { state.endMinute() }
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
  /// - Parameters:
  ///   - pause: How often to check whether the minute has ended, and how long to wait after a failure.
  ///   - failure: Called with the error each time the records cannot be written.
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
}
