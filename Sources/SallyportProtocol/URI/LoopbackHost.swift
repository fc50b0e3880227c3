/// A host name that stands for this machine's loopback interface, in its one accepted spelling.
///
/// Decimal, octal, shortened and IPv4-mapped spellings of the same addresses are not loopback hosts here: two programs could
/// read them differently.
public enum LoopbackHost: String, Sendable, Hashable, CaseIterable {
  case ipv4 = "127.0.0.1"
  case ipv6 = "[::1]"
  /// The name, which RFC 8252 §8.3 does not recommend for redirects.
  case localhost

  /// - Parameter host: as it stands in a URI, an IPv6 literal in brackets.
  public init?(_ host: String) {
    self.init(rawValue: host)
  }
}
