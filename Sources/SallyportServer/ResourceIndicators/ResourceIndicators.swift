package import SallyportProtocol

/// What a token is for, RFC 8707.
package enum ResourceIndicators {
  /// The one parameter that may stand several times.
  static let parameter: Set<String> = ["resource"]

  /// RFC 8707 §2: an absolute URI without a fragment; here `https`, or `http` on loopback, so that nobody is sent a token in the clear.
  package static func isValid(_ text: String) -> Bool {
    guard let url = try? EndpointURL(text) else { return false }
    return url.value.utf8.count <= 2048
  }

  /// The resources of an authorization request.
  /// - Parameters:
  ///   - known: the resources that the server gives tokens for; nil for any.
  /// - Throws: ``ResourceError`` for one that is malformed, unknown, or not this client's.
  package static func requested(
    _ list: [String], by client: ClientRecord, known: [String]?
  ) throws(ResourceError) -> [String] {
    var checked: [String] = []
    guard list.count <= 16 else { throw .malformed }
    for text in list {
      guard self.isValid(text) else { throw .malformed }
      guard known.map({ $0.contains(text) }) ?? true, client.details.resources.map({ $0.contains(text) }) ?? true else {
        throw .notAllowed
      }
      if !checked.contains(text) { checked.append(text) }
    }
    return checked
  }

  /// RFC 8707 §2.2: a token request names some of what was granted, or nothing and gets all of it. The server's own userinfo endpoint,
  /// named by the issuer, may be asked for in any case.
  package static func narrowed(
    _ list: [String], within granted: [String], issuer: Issuer
  ) throws(ResourceError) -> [String] {
    guard !list.isEmpty else { return granted }
    var checked: [String] = []
    for text in list {
      guard granted.contains(text) || text == issuer.value else { throw .notAllowed }
      if !checked.contains(text) { checked.append(text) }
    }
    return checked
  }

  /// `aud` of an access token, RFC 9068 §3: the resources, or the server itself where none were named.
  package static func audience(_ resources: [String], issuer: Issuer) -> Audience {
    Audience(resources.isEmpty ? [issuer.value] : resources)
  }
}

/// `invalid_target`, RFC 8707 §2.
package enum ResourceError: Error, Equatable, Sendable { case malformed, notAllowed }
