import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Transports for addresses that anyone can name: each fetch needs a place in a ``FetchBudget``, and each response has limits.
struct BudgetedTransport: Sendable {
  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  private let base: any Transport
  private let budget: FetchBudget

  init(_ base: any Transport, perMinute: Int, now: @escaping TimeSource) {
    self.base = base
    self.budget = FetchBudget(perMinute: perMinute, now: now)
  }

  /// A transport for one fetch, for which there is a place already.
  private struct Reserved: Transport {
    let base: any Transport
    let place: FetchBudget.Place

    func send(
      _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
    ) async throws(TransportError) -> TransportResponse {
      let limits = TransferLimits(
        maximumBodySize: min(limits.maximumBodySize, BudgetedTransport.limits.maximumBodySize),
        timeout: min(limits.timeout, BudgetedTransport.limits.timeout))
      defer { withExtendedLifetime(self.place) {} }
      return try await self.base.send(request, body: body, limits: limits)
    }
  }

  /// A transport for one fetch from `url`, whose place is taken now.
  ///
  /// A caller who is refused here cannot be confused with a host that does not answer, so nothing is remembered about that host.
  /// - Returns: nil if the budget has no place for it.
  func reserve(_ url: EndpointURL, client: ClientID? = nil, asker: ClientAddress, hasGrant: Bool = false) -> (any Transport)? {
    let host = HTTPRequest.get(url).authority?.lowercased() ?? ""
    let purpose = FetchBudget.Purpose(host: host, client: client, asker: asker, hasGrant: hasGrant)
    return self.budget.place(for: purpose).map { Reserved(base: self.base, place: $0) }
  }
}
