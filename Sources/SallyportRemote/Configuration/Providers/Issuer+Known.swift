import SallyportProtocol

extension Issuer {
  /// Creates the issuer identifier of a preset. The program stops if the literal is invalid.
  static func known(_ text: StaticString) -> Issuer {
    guard let issuer = try? Issuer("\(text)") else { preconditionFailure("\(text) is not an issuer identifier") }
    return issuer
  }
}

extension EndpointURL {
  /// Creates an endpoint URL of a preset. The program stops if the literal is invalid.
  static func known(_ text: StaticString) -> EndpointURL {
    guard let url = try? EndpointURL("\(text)") else { preconditionFailure("\(text) is not an endpoint URL") }
    return url
  }
}

extension AdditionalParameters {
  /// Creates an additional request parameter of a preset. The program stops if the name belongs to a parameter that the
  /// client sets itself, such as `state`, because a preset must not change it.
  static func known(_ name: StaticString, _ value: String) -> AdditionalParameters {
    guard let parameters = try? AdditionalParameters([(name: "\(name)", value: value)]) else {
      preconditionFailure("\(name) is a parameter that the client itself sets")
    }
    return parameters
  }
}

extension Issuer {
  /// Creates an issuer identifier from a domain that the app passes to a preset.
  /// - Parameter path: The path, which begins with a slash, or an empty string.
  static func domain(_ domain: String, _ path: String) throws(EndpointURLError) -> Issuer {
    // A domain with one of these characters could make the URL name a different host, port, or path.
    guard !domain.contains(where: { "/?#@:".contains($0) }) else { throw .malformed }
    return try Issuer("https://\(domain)\(path)")
  }
}
