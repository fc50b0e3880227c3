import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// Fetches documents that a client's registration names: the list of its redirect URIs (`sector_identifier_uri`), or a
/// request object.
///
/// Anyone can register a client, so fetches are limited: they use `https` and go only to public addresses, follow no
/// redirects, and are limited in size and time. For clients that no operator registered, they also need a slot of a
/// ``FetchBudget``.
struct ClientLinkedDocuments: Sendable {
  /// The transport without a budget, for operators' clients; nil if the server fetches no documents.
  let transport: (any Transport)?
  /// `transport` with a ``FetchBudget``, for all other clients; nil if the server fetches no documents.
  let budgetedTransport: BudgetedTransport?

  /// - Parameter perMinute: The maximum number of fetches per minute for clients that no operator registered.
  init(transport: (any Transport)?, perMinute: Int, now: @escaping TimeSource) {
    self.transport = transport
    self.budgetedTransport = transport.map { BudgetedTransport($0, perMinute: perMinute, now: now) }
  }

  /// Whether the server fetches documents at all.
  var areFetched: Bool { self.transport != nil }

  private static var limits: TransferLimits { TransferLimits(maximumBodySize: 32 << 10, timeout: .seconds(5)) }

  /// Returns the parsed URL; nil if the server must not open it.
  static func openable(_ url: String) -> EndpointURL? {
    guard let endpoint = try? EndpointURL(url), endpoint.components.scheme == "https", AddressPolicy.isPublic(endpoint) else {
      return nil
    }
    return endpoint
  }

  /// - Returns: The body of the document; nil if it could not be fetched.
  static func fetch(_ url: EndpointURL, over transport: any Transport) async -> [UInt8]? {
    guard let response = try? await transport.send(.get(url), body: [], limits: self.limits),
      response.head.status == .ok, response.body.count <= self.limits.maximumBodySize
    else { return nil }
    return response.body
  }
}
