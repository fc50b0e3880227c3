package import SallyportProtocol

/// Where a document that a stranger wrote may lead a request.
package enum AddressPolicy {
  /// What an URL's host says of itself, without asking anybody for an address.
  enum Reach: Int, Comparable {
    /// This machine: a loopback literal, or `localhost` and what is below it (RFC 6761 §6.3).
    case machine
    /// A private, local or special address.
    case network
    /// A name, or an address of the open internet.
    case open

    static func < (one: Reach, other: Reach) -> Bool { one.rawValue < other.rawValue }
  }

  /// Whether what stands at `origin` may name `target`: never from TLS to a plain connection, and never from further away to nearer.
  ///
  /// Otherwise an API somewhere could make the client ask the services of the person's own machine and network.
  package static func mayLead(from origin: EndpointURL, to target: EndpointURL) -> Bool {
    guard target.components.scheme == "https" || origin.components.scheme == "http" else { return false }
    return self.reach(of: target) >= self.reach(of: origin)
  }

  static func reach(of url: EndpointURL) -> Reach {
    let host = (url.components.host ?? "").lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") { return .machine }
    guard let address = IPAddress(host: host) else { return .open }
    if address.bytes.first == 127, address.bytes.count == 4 { return .machine }
    if address.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] { return .machine }
    return address.isPublic ? .open : .network
  }
}

extension AddressPolicy {
  /// Whether the URL's host is a name or an address of the open internet, as far as its text says. What a name stands for only the
  /// transport can tell.
  package static func isOpen(_ url: EndpointURL) -> Bool {
    self.reach(of: url) == .open
  }
}
