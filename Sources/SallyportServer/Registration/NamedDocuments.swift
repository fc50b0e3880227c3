import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Fetches what a client has named in its registration: the list of its redirect URIs, or a request object.
///
/// A stranger may have named it, so all of it is bounded: `https` on public addresses, no redirect, a few kilobytes, a few seconds, and for
/// the clients of strangers a ``FetchBudget``.
struct NamedDocuments: Sendable {
  /// For the clients of operators; nil if nothing is fetched.
  let transport: (any Transport)?
  /// For all others.
  let budgeted: BudgetedTransport?

  init(transport: (any Transport)?, perMinute: Int, now: @escaping TimeSource) {
    self.transport = transport
    self.budgeted = transport.map { BudgetedTransport($0, perMinute: perMinute, now: now) }
  }

  var areFetched: Bool { self.transport != nil }

  private static var limits: TransferLimits { TransferLimits(maximumBodySize: 32 << 10, timeout: .seconds(5)) }

  /// The address, if this server would open it.
  static func openable(_ url: String) -> EndpointURL? {
    guard let endpoint = try? EndpointURL(url), endpoint.components.scheme == "https", AddressPolicy.isOpen(endpoint) else {
      return nil
    }
    return endpoint
  }

  /// - Returns: the body of the document; nil if there is none now.
  static func fetch(_ url: EndpointURL, over transport: any Transport) async -> [UInt8]? {
    guard let answer = try? await transport.send(.get(url), body: [], limits: self.limits),
      answer.head.status == .ok, answer.body.count <= self.limits.maximumBodySize
    else { return nil }
    return answer.body
  }
}
