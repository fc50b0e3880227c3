extension RedirectURI {
  /// Whether this registered URI allows the redirect URI of a request.
  ///
  /// The URIs are compared as text (RFC 8252 §8.4), except that any port matches if both URIs have the same loopback IP
  /// literal (§7.3). By default, a URI with the name `localhost` must match exactly, including its port. `localhost`
  /// never matches an IP literal (§8.3).
  /// - Parameters:
  ///   - requested: The redirect URI of the request.
  ///   - anyLocalhostPort: Whether any port also matches if both URIs have the name `localhost`.
  public func matches(requested: RedirectURI, anyLocalhostPort: Bool = false) -> Bool {
    if self.value == requested.value { return true }
    guard case .loopback(let host) = self.kind, host != .localhost || anyLocalhostPort, requested.kind == self.kind else {
      return false
    }
    return self.components.path == requested.components.path && self.components.query == requested.components.query
  }

  /// Returns this URI with response parameters added to its query.
  package func appending(_ parameters: [(name: String, value: String)]) -> String {
    let separator =
      switch self.components.query {
      case nil: "?"
      // The URI ends with `?`.
      case "": ""
      default: "&"
      }
    return FormParameters.encode(parameters, after: self.value + separator)
  }

  package var scheme: String { self.components.scheme }
  /// Whether the URI has a private-use scheme without a period. `msapp`, the scheme of Windows apps, does not count.
  package var hasUndottedScheme: Bool {
    self.kind == .privateUse && !self.scheme.contains(".") && self.scheme != "msapp"
  }
  /// The host, or an empty string if the URI has no host.
  package var host: String { self.components.host ?? "" }
  /// The explicit port of the URI, or `nil` if it has none.
  package var port: UInt16? { self.components.port }
}
