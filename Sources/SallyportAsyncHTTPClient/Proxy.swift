import AsyncHTTPClient
import SallyportProtocol
import SallyportRemote

/// A proxy that requests are sent through.
struct Proxy: Sendable, Equatable {
  var host: String
  var port: Int
  var username: String?
  var password: Secret<String>?

  /// Parses the value of a proxy setting: `http://user:password@host:port`. The scheme, the credentials, and the port
  /// (80 by default) are optional.
  init?(_ text: String) {
    var rest = text[...]
    if text.contains("://") {
      guard text.lowercased().hasPrefix("http://") else { return nil }
      rest = text.dropFirst("http://".count)
    }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let username = Self.decoded(parts[0]) else { return nil }
      self.username = username
      if parts.count > 1 {
        guard let password = Self.decoded(parts[1]) else { return nil }
        self.password = Secret(password)
      }
      rest = rest[rest.index(after: at)...]
    }
    guard let url = URIComponents("http://\(rest)"), let host = url.host, !host.isEmpty, url.path.isEmpty, url.query == nil else {
      return nil
    }
    // The brackets of an IPv6 address are part of the URL, but not of the host name to connect to.
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = Int(url.port ?? 80)
  }

  /// Decodes percent-encoded text. The function for forms would decode a plus sign as a space, so each plus sign is
  /// replaced by `%2B` first.
  private static func decoded(_ text: Substring) -> String? {
    PercentEncoding.decodeForm(text.utf8.flatMap { $0 == UInt8(ascii: "+") ? Array("%2B".utf8) : [$0] })
  }

  var configuration: HTTPClient.Configuration.Proxy {
    let authorization = self.username.map { username in
      HTTPClient.Authorization.basic(username: username, password: self.password?.reveal() ?? "")
    }
    return authorization.map { .server(host: self.host, port: self.port, authorization: $0) }
      ?? .server(host: self.host, port: self.port)
  }
}

extension ProxySettings {
  /// The proxy for a request, or `nil` if the server is contacted directly.
  /// - Throws: ``TransportError/unreachable(reason:)`` if the setting is invalid. The request is then
  ///   not sent without a proxy, because the network may log direct connections or not allow them.
  func proxy(scheme: String?, authority: String?) throws(TransportError) -> Proxy? {
    guard let text = scheme == "https" ? self.https : self.http, let authority,
      let url = URIComponents("\(scheme ?? "https")://\(authority)"), let host = url.host?.lowercased(), !Self.isLocal(host)
    else { return nil }
    let port = Int(url.port ?? (scheme == "https" ? 443 : 80))
    if self.exceptions.contains(where: { Self.matches($0.lowercased(), host, port) }) { return nil }
    guard let proxy = Proxy(text) else {
      // The value may contain a password, so it is not part of the message.
      let name = scheme == "https" ? "HTTPS_PROXY" : "HTTP_PROXY"
      throw .unreachable(reason: "the proxy setting \(name) must be http://HOST:PORT")
    }
    return proxy
  }

  /// Whether the host is this machine.
  private static func isLocal(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    guard let bytes = IPAddress(host: host)?.bytes else { return false }
    // 127.0.0.0/8 or ::1.
    return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }

  /// Whether an entry of ``exceptions`` covers the host and port.
  private static func matches(_ exception: String, _ host: String, _ port: Int) -> Bool {
    if exception == "*" { return true }
    var name = exception[...]
    // The last colon precedes a port, unless it is part of an IPv6 address without brackets.
    if let colon = exception.lastIndex(of: ":"), let number = Int(exception[exception.index(after: colon)...]),
      !exception[..<colon].contains(":") || exception[..<colon].hasSuffix("]")
    {
      guard number == port else { return false }
      name = exception[..<colon]
    }
    if name.hasPrefix("*.") { name = name.dropFirst(2) } else if name.hasPrefix(".") { name = name.dropFirst() }
    guard !name.isEmpty else { return false }
    return host == name || host == "[\(name)]" || host.hasSuffix(".\(name)")
  }
}
