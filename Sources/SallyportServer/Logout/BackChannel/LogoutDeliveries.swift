import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Sends pending logout tokens (OpenID Connect Back-Channel Logout §2.5).
///
/// Several processes can share a store, because each claims the deliveries that it sends. Failed deliveries are retried
/// after increasing delays, and given up after the last retry or one day. A client that does not respond does not delay
/// deliveries to other clients (``DeliverySlots``).
public struct LogoutDeliveries: Sendable {
  let store: any Store
  let cache: ConfigurationCache
  let issuer: Issuer
  let transports: OutboundTransports
  let now: TimeSource
  let signal = WakeSignal()
  /// How long to wait for a client's response.
  package var timeout: Duration = .seconds(5)

  /// The outcome of one delivery attempt. The raw values appear in the log and in metrics, so they stay
  /// the same even if a case is renamed.
  public enum Outcome: String, Sendable {
    case delivered
    /// The client rejected the token, or could not sign the user out (§2.8). The delivery is not retried.
    case rejected = "refused"
    /// The client did not respond, or its response was neither success nor rejection. The delivery is retried.
    case failed
    /// The last attempt failed, or the delivery expired before it was sent, for example because no server was running.
    case givenUp
    /// The client was removed, has no logout URI, or has one that the server cannot open.
    case undeliverable
  }

  /// The delay after each failed attempt.
  static var delays: [Duration] { [10, 60, 600, 3600, 6 * 3600].map { .seconds($0) } }
  /// After this time, a delivery that was claimed but not completed is tried again, because its process may have
  /// stopped.
  private static var lease: Duration { .seconds(30) }

  /// Sends deliveries until the task is canceled. Searches the store for deliveries when this process has ended a
  /// session, and in any case after each `pause`, because other processes end sessions too.
  /// - Parameters:
  ///   - pause: The time between two searches for deliveries.
  ///   - report: Called after each attempt whose outcome was stored.
  ///   - failure: Called with the error each time the deliveries cannot be claimed.
  public func run(
    pause: Duration = .seconds(5), report: @escaping @Sendable (ClientID, Outcome) -> Void,
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
          for claimed in try await self.claim(pool) {
            group.addTask {
              await self.deliver(claimed, pool, report)
              self.signal.send()
            }
          }
        } catch { failure(error) }
      }
      group.cancelAll()
    }
  }

  /// Sends the due deliveries until there are none left.
  /// - Returns: The number of attempts.
  package func deliverDue(
    report: @escaping @Sendable (ClientID, Outcome) -> Void = { _, _ in }
  ) async throws(StoreError) -> Int {
    let pool = SlotPool()
    var count = 0
    while true {
      let claimed = try await self.claim(pool)
      if claimed.isEmpty { return count }
      count += claimed.count
      await withDiscardingTaskGroup { group in
        for claimed in claimed { group.addTask { await self.deliver(claimed, pool, report) } }
      }
    }
  }

  // MARK: Deliveries

  private struct ClaimedDelivery: Sendable {
    let record: LogoutDeliveryRecord
    let isDynamic: Bool
  }

  /// The slots, shared by the deliveries in progress.
  private final class SlotPool: Sendable {
    let slots = Mutex(DeliverySlots())
  }

  /// Claims due deliveries while there are free slots for them. This function never runs concurrently with itself, so
  /// slots that are free at its start stay free until it takes them.
  private func claim(_ pool: SlotPool) async throws(StoreError) -> [ClaimedDelivery] {
    let now = self.now()
    // The transaction works on a copy, because the store may run it more than once.
    let currentSlots = pool.slots.withLock { $0 }
    guard currentSlots.isFree(forDynamic: false) else { return [] }
    let claimed = try await self.store.write { (tx) throws(StoreError) in
      var (slots, claimed) = (currentSlots, [ClaimedDelivery]())
      // Dynamic clients (which no operator registered) may use only half of the slots. Their deliveries are claimed
      // first, because deliveries to operators' clients could otherwise take all slots.
      for isDynamic in [true, false] {
        while slots.isFree(forDynamic: isDynamic),
          let record = try tx.claimLogoutDelivery(
            isDynamic: isDynamic, except: slots.busy, retry: now + Self.lease, at: now)
        {
          slots.acquire(record.client, isDynamic: isDynamic)
          claimed.append(ClaimedDelivery(record: record, isDynamic: isDynamic))
        }
      }
      return claimed
    }
    pool.slots.withLock { slots in
      for delivery in claimed { slots.acquire(delivery.record.client, isDynamic: delivery.isDynamic) }
    }
    return claimed
  }

  private func deliver(
    _ claimed: ClaimedDelivery, _ pool: SlotPool, _ report: @Sendable (ClientID, Outcome) -> Void
  ) async {
    let delivery = claimed.record
    // If the store or the signing key is unavailable, or the server is stopping, the delivery is tried again when its
    // claim expires.
    if let outcome = try? await self.record(self.attempt(delivery), of: delivery) { report(delivery.client, outcome) }
    pool.slots.withLock { $0.release(delivery.client, isDynamic: claimed.isDynamic) }
  }

  private func attempt(_ delivery: LogoutDeliveryRecord) async throws -> Outcome {
    guard self.now() < delivery.expiresAt else { return .givenUp }
    guard let client = try await self.cache.client(delivery.client), let text = client.details.backchannelLogoutURI,
      let url = try? EndpointURL(text), let transport = self.transports.transport(of: client, to: url)
    else { return .undeliverable }
    let token = try await self.token(delivery, for: client)
    let body = FormParameters.encode([("logout_token", token.reveal())])
    do {
      // The response to a logout request is short.
      let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: self.timeout)
      let response = try await transport.send(.post(form: url), body: Array(body.utf8), limits: limits)
      return Self.outcome(of: Int(response.head.status.code))
    } catch {
      // The server is stopping. The delivery is tried again when its claim expires, and not after the delay of a failed
      // attempt, which can be hours.
      guard error != .cancelled else { throw error }
      return .failed
    }
  }

  /// §2.8: 200 means success, and so does 204, which some frameworks send. 400 is a rejection. Redirects are not
  /// followed.
  static func outcome(of status: Int) -> Outcome {
    switch status {
    case 200, 204: .delivered
    case 400: .rejected
    default: .failed
    }
  }

  /// Returns the logout token, signed with the algorithm of the client's ID tokens (§2.4).
  private func token(_ delivery: LogoutDeliveryRecord, for client: ClientRecord) async throws -> Secret<String> {
    let now = self.now()
    guard let algorithm = SigningKey.Algorithm(rawValue: client.signingAlgorithm),
      let signer = try await self.cache.keyRing().signer(algorithm, at: now)
    else { throw KeyRingError.noActiveKey(client.signingAlgorithm) }
    let claims = LogoutTokenClaims(
      issuer: self.issuer.value, subject: delivery.account.rawValue, audience: client.id.rawValue, issuedAt: now.seconds,
      expiration: (now + LogoutTokenClaims.lifetime).seconds, id: delivery.id, sessionID: delivery.sessionID)
    return try signer.sign(claims, as: .logoutToken)
  }

  /// Postpones the delivery if another attempt follows; otherwise removes it and, if the client was not notified,
  /// records why.
  /// - Returns: The outcome, which is `givenUp` instead of `failed` after the last attempt.
  private func record(_ outcome: Outcome, of delivery: LogoutDeliveryRecord) async throws(StoreError) -> Outcome {
    let (id, attempts) = (delivery.id, delivery.attempts)
    // `attempts` includes the current attempt, so it is at least 1.
    if outcome == .failed, attempts <= Self.delays.count {
      let retry = self.now() + Self.delays[attempts - 1]
      try await self.store.write { (tx) throws(StoreError) in try tx.postponeLogoutDelivery(id, to: retry) }
      return outcome
    }
    let finalOutcome: Outcome = outcome == .failed ? .givenUp : outcome
    let now = self.now()
    try await self.store.write { (tx) throws(StoreError) in
      guard try tx.removeLogoutDelivery(id), let reason = finalOutcome.auditReason else { return }
      try tx.insert(
        AuditRecord(
          .logoutNotDelivered, reason, account: delivery.account, client: delivery.client, session: delivery.sessionID,
          from: .server, at: now))
    }
    return finalOutcome
  }
}

extension LogoutDeliveries.Outcome {
  /// Why the client will not be notified; nil if it was notified or the delivery will be retried.
  fileprivate var auditReason: AuditReason? {
    switch self {
    case .delivered, .failed: nil
    case .rejected: .rejected
    case .givenUp: .givenUp
    case .undeliverable: .undeliverable
    }
  }
}
