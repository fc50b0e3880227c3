/// Private-use schemes without a period that are accepted in addition to reversed domain names.
///
/// RFC 8252 §7.1 requires a reversed domain name, and §8.4 recommends rejecting schemes without a period. Some apps use
/// such a scheme anyway, so an operator can allow individual schemes.
package struct UndottedSchemes: Sendable, Hashable {
  private enum Names: Sendable, Hashable {
    case listed(Set<String>)
    case all
  }

  private let names: Names

  /// No schemes, as RFC 8252 §8.4 recommends.
  package static let none = UndottedSchemes([])
  /// All schemes without a period that are not reserved, for URIs that were validated before they were stored.
  package static let all = UndottedSchemes(names: .all)

  private init(names: Names) {
    self.names = names
  }

  /// - Parameter names: The accepted schemes. Case does not matter (RFC 3986 §3.1).
  package init(_ names: some Sequence<String>) {
    self.init(names: .listed(Set(names.map { $0.lowercased() })))
  }

  /// Whether redirect URIs may use this scheme. A reserved scheme is never accepted.
  package func contains(_ scheme: String) -> Bool {
    let scheme = scheme.lowercased()
    guard !scheme.contains("."), !IANASchemes.contains(scheme) else { return false }
    return switch self.names {
    case .listed(let names): names.contains(scheme)
    case .all: true
    }
  }

  /// Whether a scheme can be allowed: it has the syntax of RFC 3986 §3.1, contains no period, and is not reserved.
  package static func canAllow(_ scheme: String) -> Bool {
    URIComponents("\(scheme):/")?.scheme == scheme && self.all.contains(scheme)
  }
}
