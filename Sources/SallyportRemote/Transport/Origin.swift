package import SallyportProtocol

/// The scheme, host, and port of a URL (RFC 6454 §4), normalized.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
  private let scheme: String
  private let host: String
  private let port: UInt16

  package init(_ url: EndpointURL) {
    self.scheme = url.components.scheme
    self.host = url.components.host?.lowercased() ?? ""
    self.port = url.components.port ?? (self.scheme == "https" ? 443 : 80)
  }

  package var description: String { "\(self.scheme)://\(self.host):\(self.port)" }
}
