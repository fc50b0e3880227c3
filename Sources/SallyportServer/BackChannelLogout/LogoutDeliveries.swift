import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Sends the logout tokens that are due, OpenID Connect Back-Channel Logout §2.5.
///
/// Any number of processes may do so on one store: each claims what it sends. A client that fails is tried again, later each time, and
/// given up in the end; meanwhile the others are told (``DeliveryPlaces``).
public struct LogoutDeliveries: Sendable {
  let store: any Store
  let cache: ConfigurationCache
  let issuer: Issuer
  let transports: OutboundTransports
  let now: TimeSource
  let signal = WakeSignal()
  /// How long a client may take to answer.
  package var timeout: Duration = .seconds(5)

  /// What became of one attempt.
  public enum Outcome: String, Sendable {
    case delivered
    /// The client says that the token is wrong or that it could not sign the person out (§2.8). It is not asked again.
    case refused
    /// No answer, or another one; it is tried again.
    case failed
    /// It failed for the last time.
    case givenUp
    /// The client has no address any more, or none that may be opened.
    case undeliverable
  }

  /// How long after each failed attempt the next one comes.
  static var delays: [Duration] { [10, 60, 600, 3600, 6 * 3600].map { .seconds($0) } }
  /// A process that dies with a claimed token leaves it to be tried again after this time.
  private static var lease: Duration { .seconds(30) }

  /// Delivers whatever is due, at once when this process ends a session and else when `pause` is over, until the task is cancelled.
  /// - Parameter report: hears of each attempt.
  public func run(
    pause: Duration = .seconds(5), report: @escaping @Sendable (ClientID, Outcome) -> Void,
    failure: @escaping @Sendable (StoreError) -> Void
  ) async {
    let window = Window()
    await withDiscardingTaskGroup { group in
      group.addTask {
        while !Task.isCancelled {
          self.signal.send()
          try? await Task.sleep(for: pause)
        }
      }
      for await _ in self.signal.stream {
        do throws(StoreError) {
          for claimed in try await self.claim(window) {
            group.addTask {
              await self.deliver(claimed, window, report)
              self.signal.send()
            }
          }
        } catch { failure(error) }
      }
      group.cancelAll()
    }
  }

  /// Delivers until nothing is due.
  /// - Returns: how many were tried.
  package func deliverDue(
    report: @escaping @Sendable (ClientID, Outcome) -> Void = { _, _ in }
  ) async throws(StoreError) -> Int {
    let window = Window()
    var count = 0
    while true {
      let claimed = try await self.claim(window)
      if claimed.isEmpty { return count }
      count += claimed.count
      await withDiscardingTaskGroup { group in
        for claimed in claimed { group.addTask { await self.deliver(claimed, window, report) } }
      }
    }
  }

  // MARK: One delivery

  private struct Claimed: Sendable {
    let record: LogoutDeliveryRecord
    let isStrangers: Bool
  }

  /// The places, shared by those who take them and those who leave.
  private final class Window: Sendable {
    let places = Mutex(DeliveryPlaces())
  }

  /// Takes what is due, as far as there are places for it. Only one caller does so at a time, so no place is given away meanwhile.
  private func claim(_ window: Window) async throws(StoreError) -> [Claimed] {
    let now = self.now()
    let free = window.places.withLock { $0 }
    guard free.isFree(forStrangers: false) else { return [] }
    let claimed = try await self.store.write { (tx) throws(StoreError) in
      var (places, claimed) = (free, [Claimed]())
      // Strangers first, or operators' clients could take their half as well.
      for isStrangers in [true, false] {
        while places.isFree(forStrangers: isStrangers),
          let record = try tx.claimLogoutDelivery(
            isStrangers: isStrangers, except: places.busy, retry: now + Self.lease, at: now)
        {
          places.take(record.client, isStranger: isStrangers)
          claimed.append(Claimed(record: record, isStrangers: isStrangers))
        }
      }
      return claimed
    }
    window.places.withLock { places in
      for one in claimed { places.take(one.record.client, isStranger: one.isStrangers) }
    }
    return claimed
  }

  private func deliver(
    _ claimed: Claimed, _ window: Window, _ report: @Sendable (ClientID, Outcome) -> Void
  ) async {
    let delivery = claimed.record
    // What cannot be written down now is due again when its claim ends.
    if let outcome = try? await self.settle(delivery, self.attempt(delivery)) { report(delivery.client, outcome) }
    window.places.withLock { $0.leave(delivery.client, isStranger: claimed.isStrangers) }
  }

  private func attempt(_ delivery: LogoutDeliveryRecord) async throws -> Outcome {
    guard let client = try await self.cache.client(delivery.client), let text = client.details.backchannelLogoutURI,
      let url = try? EndpointURL(text), let transport = self.transports.transport(of: client, to: url)
    else { return .undeliverable }
    let token = try await self.token(delivery, for: client)
    let body = FormParameters.encode([("logout_token", token.reveal())])
    do {
      // A logout is answered in a few bytes.
      let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: self.timeout)
      let answer = try await transport.send(.post(form: url), body: Array(body.utf8), limits: limits)
      return Self.outcome(of: Int(answer.head.status.code))
    } catch { return .failed }
  }

  /// §2.8: 200 and, as some frameworks have it, 204 are success; 400 is a refusal. A redirect is followed by nobody.
  static func outcome(of status: Int) -> Outcome {
    switch status {
    case 200, 204: .delivered
    case 400: .refused
    default: .failed
    }
  }

  /// §2.4: signed as the client's ID tokens are.
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

  private func settle(_ delivery: LogoutDeliveryRecord, _ outcome: Outcome) async throws(StoreError) -> Outcome {
    let (id, tried) = (delivery.id, delivery.attempts)
    guard outcome == .failed, tried <= Self.delays.count else {
      let (outcome, now) = (outcome == .failed ? .givenUp : outcome, self.now())
      try await self.store.write { (tx) throws(StoreError) in
        guard try tx.removeLogoutDelivery(id), let reason = outcome.auditReason else { return }
        try tx.insert(
          AuditRecord(
            .logoutNotDelivered, reason, account: delivery.account, client: delivery.client, session: delivery.sessionID,
            from: .server, at: now))
      }
      return outcome
    }
    let due = self.now() + Self.delays[tried - 1]
    try await self.store.write { (tx) throws(StoreError) in try tx.postponeLogoutDelivery(id, to: due) }
    return outcome
  }
}

extension LogoutDeliveries.Outcome {
  /// Why the client will not hear of it; nil where it has, or may still.
  fileprivate var auditReason: AuditReason? {
    switch self {
    case .delivered, .failed: nil
    case .refused: .refused
    case .givenUp: .givenUp
    case .undeliverable: .undeliverable
    }
  }
}
