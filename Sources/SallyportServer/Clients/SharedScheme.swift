import SallyportProtocol

/// A private-use scheme that more than one of the operator's clients redirects to: on one device both apps would claim it, and either
/// gets the other's answers (RFC 8252 §7.1, rule S-32).
public struct SharedScheme: Sendable, Hashable {
  public let scheme: String
  public let clients: [ClientID]

  /// All of them among these clients, by scheme. Those that registered themselves are not looked at: nobody vouches for any of theirs.
  public static func among(_ clients: [ClientRecord]) -> [SharedScheme] {
    var claims: [String: [ClientID]] = [:]
    for client in clients where client.origin == .operator {
      for scheme in Set(client.redirectURIs.filter { $0.kind == .privateUse }.map(\.scheme)) {
        claims[scheme, default: []].append(client.id)
      }
    }
    return claims.filter { $0.value.count > 1 }.map { SharedScheme(scheme: $0.key, clients: $0.value) }
      .sorted { $0.scheme < $1.scheme }
  }
}
