package import SallyportProtocol

/// Restricts which URLs in a document from an untrusted party may be requested.
package enum AddressPolicy {
  /// Where a URL's host is, from nearest to most distant, judged only by the URL's text, without resolving names.
  enum HostLocation: Int, Comparable {
    /// This machine: a loopback address, or `localhost` and its subdomains (RFC 6761 §6.3).
    case machine
    /// A private, link-local, or special-purpose address.
    case network
    /// A name, or a public address.
    case `public`

    static func < (one: HostLocation, other: HostLocation) -> Bool { one.rawValue < other.rawValue }
  }

  /// Whether a document from `origin` may name `target`: never from `https` to `http`, and never from a more distant
  /// host to a nearer host.
  ///
  /// Without this rule, a remote API could make the client send requests to services on the user's machine or network.
  package static func allowsReference(from origin: EndpointURL, to target: EndpointURL) -> Bool {
    guard target.components.scheme == "https" || origin.components.scheme == "http" else { return false }
    return self.location(of: target) >= self.location(of: origin)
  }

  static func location(of url: EndpointURL) -> HostLocation {
    let host = (url.components.host ?? "").lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") { return .machine }
    guard let address = IPAddress(host: host) else { return .public }
    // 127.0.0.0/8 and ::1.
    if address.bytes.first == 127, address.bytes.count == 4 { return .machine }
    if address.bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] { return .machine }
    return address.isPublic ? .public : .network
  }
}

extension AddressPolicy {
  /// Whether the URL's host is a name or a public address, judged by its text only. Only the transport can check what a
  /// name resolves to.
  package static func isPublic(_ url: EndpointURL) -> Bool {
    self.location(of: url) == .public
  }
}
