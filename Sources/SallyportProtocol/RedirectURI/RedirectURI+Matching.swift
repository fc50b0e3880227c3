extension RedirectURI {
  /// Whether a request's redirect URI is allowed by this registered one.
  ///
  /// Simple string comparison (RFC 8252 §8.4), except that a loopback *literal* matches on any port, or none (§7.3). The name
  /// `localhost` matches exactly, and never stands for a literal nor a literal for it (§8.3).
  /// - Parameters:
  ///   - requested: The redirect URI of the request.
  ///   - anyLocalhostPort: Whether `localhost` matches on any port too.
  public func matches(requested: RedirectURI, anyLocalhostPort: Bool = false) -> Bool {
    if self.value == requested.value { return true }
    guard case .loopback(let host) = self.kind, host != .localhost || anyLocalhostPort, requested.kind == self.kind else {
      return false
    }
    return self.components.path == requested.components.path && self.components.query == requested.components.query
  }

  /// This URI with response parameters added to its query.
  package func appending(_ parameters: [(name: String, value: String)]) -> String {
    let separator =
      switch self.components.query {
      case nil: "?"
      case "": ""
      default: "&"
      }
    return FormParameters.encode(parameters, after: self.value + separator)
  }

  package var scheme: String { self.components.scheme }
  /// Whether this is a private-use scheme that is not a reversed domain name.
  package var hasUndottedScheme: Bool {
    self.kind == .privateUse && !self.scheme.contains(".") && self.scheme != "msapp"
  }
  /// The host, empty for a private-use scheme.
  package var host: String { self.components.host ?? "" }
  /// The port that the URI names.
  package var port: UInt16? { self.components.port }
}
