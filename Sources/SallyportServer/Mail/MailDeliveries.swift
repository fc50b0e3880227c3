import SallyportProtocol
import Synchronization

/// Sends queued mail.
///
/// Several processes can share a store, because each claims the messages that it sends. A message can be sent more than
/// once: if the process or the store fails after the transport has accepted the message, but before the message is
/// removed from the queue, the message is sent again with the same `Message-ID`. If an attempt fails, the message is
/// sent again after increasing delays, until it expires.
package struct MailDeliveries: Sendable {
  let store: any Store
  let composer: MailComposer
  let now: TimeSource
  /// Wakes ``run(by:pause:report:failure:)``.
  let signal: WakeSignal

  package enum Outcome: Sendable, Equatable {
    case sent
    /// The message will be sent again.
    case failed(reason: String)
    /// The message expires before the next attempt.
    case givenUp(reason: String)
  }

  /// The maximum number of messages that one process sends at the same time.
  static var concurrency: Int { 4 }
  /// The delay after each failed attempt. The last one applies to all further attempts.
  static var delays: [Duration] { [30, 120, 600, 1_800, 3_600, 7_200].map { .seconds($0) } }
  /// After this time, a message that was claimed but not completed is sent again, because its process may have stopped.
  /// A transport must give up sooner.
  static var lease: Duration { .seconds(180) }

  /// Sends messages until the task is canceled. Looks for messages after every `pause`, and immediately when ``signal``
  /// is sent, for example because this process has queued a mail that a user asked for.
  /// - Parameters:
  ///   - report: Called after each attempt whose outcome was stored.
  ///   - failure: Called with the error each time the messages cannot be claimed.
  package func run(
    by transport: any MailTransport, pause: Duration = .seconds(5), report: @escaping @Sendable (Outcome) -> Void,
    failure: @escaping @Sendable (StoreError) -> Void
  ) async {
    let pool = SlotPool()
    await withDiscardingTaskGroup { group in
      group.addTask {
        while !Task.isCancelled {
          self.signal.send()
          try? await Task.sleep(for: pause)
        }
      }
      for await _ in self.signal.stream {
        do throws(StoreError) {
          while pool.slots.withLock({ $0.take() }) {
            guard let mail = try await self.claim(pool) else { break }
            group.addTask {
              await self.deliver(mail, by: transport, report: report)
              pool.slots.withLock { $0.release() }
              self.signal.send()
            }
          }
        } catch { failure(error) }
      }
      group.cancelAll()
    }
  }

  /// Sends all messages whose time has come, one after the other.
  /// - Returns: The number of attempts.
  package func sendDue(
    by transport: any MailTransport, report: @escaping @Sendable (Outcome) -> Void = { _ in }
  ) async throws(StoreError) -> Int {
    var count = 0
    while let mail = try await self.claim() {
      count += 1
      await self.deliver(mail, by: transport, report: report)
    }
    return count
  }

  /// The slots, shared by the messages in progress.
  private final class SlotPool: Sendable {
    let slots = Mutex(Slots(MailDeliveries.concurrency))
  }

  /// Claims a message. Releases the slot if there is nothing to send, or the store fails.
  private func claim(_ pool: SlotPool) async throws(StoreError) -> MailRecord? {
    do throws(StoreError) {
      let mail = try await self.claim()
      if mail == nil { pool.slots.withLock { $0.release() } }
      return mail
    } catch {
      pool.slots.withLock { $0.release() }
      throw error
    }
  }

  private func claim() async throws(StoreError) -> MailRecord? {
    let now = self.now()
    // Most searches find nothing, and must not write.
    let next = try await self.store.read { (snapshot) throws(StoreError) in try snapshot.nextMailTime() }
    guard let next, next <= now else { return nil }
    return try await self.store.write { (tx) throws(StoreError) in try tx.claimMail(retry: now + Self.lease, at: now) }
  }

  private func deliver(
    _ mail: MailRecord, by transport: any MailTransport, report: @Sendable (Outcome) -> Void
  ) async {
    // If the store is unavailable, the message is sent again when its claim expires.
    if let outcome = try? await self.storeOutcome(self.attempt(mail, by: transport), of: mail) { report(outcome) }
  }

  /// - Returns: Why the message was not sent; nil if it was sent.
  private func attempt(_ mail: MailRecord, by transport: any MailTransport) async -> String? {
    guard let message = self.composer.message(mail) else { return "the queued message cannot be read with this key file" }
    do throws(MailTransportError) { try await transport.send(message.bytes) } catch { return error.reason }
    return nil
  }

  /// - Parameter failure: Why the message was not sent; nil if it was sent.
  private func storeOutcome(_ failure: String?, of mail: MailRecord) async throws(StoreError) -> Outcome {
    // `attempts` includes the current attempt, so it is at least 1.
    let retry = self.now() + Self.delays[min(mail.attempts, Self.delays.count) - 1]
    guard let failure, retry < mail.expiresAt else {
      _ = try await self.store.write { (tx) throws(StoreError) in try tx.removeMail(mail.id) }
      return failure.map { .givenUp(reason: $0) } ?? .sent
    }
    try await self.store.write { (tx) throws(StoreError) in try tx.postponeMail(mail.id, to: retry) }
    return .failed(reason: failure)
  }
}
