import SallyportProtocol

/// A web origin in the only spelling that browsers use (HTML Standard, "Serialization of an origin").
struct WebOrigin: Hashable, Sendable {
  /// The scheme and the host, and the port unless it is the scheme's default port.
  let text: String
  let host: String

  /// - Returns: `nil` if the text is neither an `https` origin with a domain name or IP address nor an `http` origin
  ///   whose host is `localhost`.
  init?(_ text: String) {
    guard let url = URIComponents(text), let host = url.host, let authority = url.authority, url.userInfo == nil,
      text.utf8.elementsEqual("\(url.scheme)://\(authority)".utf8)
    else { return nil }
    switch url.scheme {
    case "https": guard url.port != 443, host.hasPrefix("[") || DomainName.isValid(host) else { return nil }
    case "http": guard url.port != 80, host == LoopbackHost.localhost.rawValue else { return nil }
    default: return nil
    }
    self.text = text
    self.host = host
  }
}
