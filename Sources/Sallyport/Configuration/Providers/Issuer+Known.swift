import SallyportProtocol

extension Issuer {
  /// A provider's issuer identifier, which is always valid.
  static func known(_ text: StaticString) -> Issuer {
    guard let issuer = try? Issuer("\(text)") else { preconditionFailure("\(text) is not an issuer identifier") }
    return issuer
  }
}

extension EndpointURL {
  /// A provider's URL, which is always valid.
  static func known(_ text: StaticString) -> EndpointURL {
    guard let url = try? EndpointURL("\(text)") else { preconditionFailure("\(text) is not an endpoint URL") }
    return url
  }
}

extension AdditionalParameters {
  /// A provider's parameter, which is never one of the client's own.
  static func known(_ name: StaticString, _ value: String) -> AdditionalParameters {
    guard let parameters = try? AdditionalParameters([(name: "\(name)", value: value)]) else {
      preconditionFailure("\(name) is a parameter of the client")
    }
    return parameters
  }
}

extension Issuer {
  /// The issuer at a domain that an app names.
  static func domain(_ domain: String, _ path: String) throws(EndpointURLError) -> Issuer {
    // A name that contains anything else could lead to another host.
    guard !domain.contains(where: { "/?#@:".contains($0) }) else { throw .malformed }
    return try Issuer("https://\(domain)\(path)")
  }
}
