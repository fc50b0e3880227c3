/// A host on this machine's loopback interface, in its only accepted spelling.
///
/// Decimal, octal, shortened, and IPv4-mapped spellings of the same addresses are rejected, because two programs could
/// interpret them differently.
public enum LoopbackHost: String, Sendable, Hashable, CaseIterable {
  case ipv4 = "127.0.0.1"
  case ipv6 = "[::1]"
  /// The host name, which RFC 8252 §8.3 does not recommend for redirect URIs.
  case localhost

  /// Parses a host. Returns `nil` if it isn't one of these spellings.
  /// - Parameter host: The host as written in a URI, with brackets around an IPv6 literal.
  public init?(_ host: String) {
    self.init(rawValue: host)
  }
}
