import SallyportProtocol

/// A private-use scheme in the redirect URIs of more than one of the operator's clients. If two of these apps are
/// installed on a device, one can receive the other's authorization responses (RFC 8252 §7.1, rule S-32).
public struct SharedScheme: Sendable, Hashable {
  public let scheme: String
  public let clients: [ClientID]

  /// Returns the shared schemes of these clients, sorted by scheme. Clients that no operator registered are ignored,
  /// because anyone can add them.
  public static func find(in clients: [ClientRecord]) -> [SharedScheme] {
    var clientsByScheme: [String: [ClientID]] = [:]
    for client in clients where client.origin == .operator {
      for scheme in Set(client.redirectURIs.filter { $0.kind == .privateUse }.map(\.scheme)) {
        clientsByScheme[scheme, default: []].append(client.id)
      }
    }
    return clientsByScheme.filter { $0.value.count > 1 }.map { SharedScheme(scheme: $0.key, clients: $0.value) }
      .sorted { $0.scheme < $1.scheme }
  }
}
