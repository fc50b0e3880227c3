import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Provides transports for URLs from clients that no operator registered, each for one fetch. A fetch needs a slot of a
/// ``FetchBudget``, and its response is limited in size and time.
struct BudgetedTransport: Sendable {
  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  private let base: any Transport
  private let budget: FetchBudget

  /// - Parameter perMinute: The maximum number of fetches per minute.
  init(_ base: any Transport, perMinute: Int, now: @escaping TimeSource) {
    self.base = base
    self.budget = FetchBudget(perMinute: perMinute, now: now)
  }

  /// A transport for one fetch, with its slot reserved.
  private struct Reserved: Transport {
    let base: any Transport
    let slot: FetchBudget.Slot

    func send(
      _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
    ) async throws(TransportError) -> TransportResponse {
      let limits = TransferLimits(
        maximumBodySize: min(limits.maximumBodySize, BudgetedTransport.limits.maximumBodySize),
        timeout: min(limits.timeout, BudgetedTransport.limits.timeout))
      // The slot is released when it is deallocated, which must not happen before the response has arrived.
      defer { withExtendedLifetime(self.slot) {} }
      return try await self.base.send(request, body: body, limits: limits)
    }
  }

  /// Reserves a slot and returns a transport for one fetch from `url`.
  /// - Parameter hasGrant: Whether the client has obtained a grant before. Clients without a grant share half of the
  ///   budget.
  /// - Returns: Nil if the budget has no free slot. Nil must not be counted as a failure of the host.
  func reserve(_ url: EndpointURL, client: ClientID? = nil, address: ClientAddress, hasGrant: Bool = false) -> (any Transport)? {
    let host = HTTPRequest.get(url).authority?.lowercased() ?? ""
    let purpose = FetchBudget.Purpose(host: host, client: client, address: address, hasGrant: hasGrant)
    return self.budget.slot(for: purpose).map { Reserved(base: self.base, slot: $0) }
  }
}
