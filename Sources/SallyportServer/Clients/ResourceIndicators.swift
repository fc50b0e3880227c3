package import SallyportProtocol

/// The resources for which tokens are valid (RFC 8707).
package enum ResourceIndicators {
  /// The names of the parameters that may be repeated: only `resource`.
  static let repeatableNames: Set<String> = ["resource"]

  /// RFC 8707 §2: whether the text is an absolute URI without a fragment, of at most 2,048 bytes. The URI must use
  /// `https`, or `http` on loopback, so that no token is sent over a network unencrypted.
  package static func isValid(_ text: String) -> Bool {
    guard let url = try? EndpointURL(text) else { return false }
    return url.value.utf8.count <= 2048
  }

  /// Validates the resources of a request for a new grant, or of a client credentials request.
  /// - Parameters:
  ///   - known: The resources for which the server issues tokens; nil if it issues them for any resource.
  /// - Throws: ``ResourceError`` if a resource is malformed, unknown, or not allowed for the client, or if there are
  ///   more than 16.
  package static func validate(
    _ list: [String], by client: ClientRecord, known: [String]?
  ) throws(ResourceError) -> [String] {
    var checked: [String] = []
    guard list.count <= 16 else { throw .malformed }
    for text in list {
      guard self.isValid(text) else { throw .malformed }
      if let known, !known.contains(text) { throw .notAllowed }
      if let allowed = client.details.resources, !allowed.contains(text) { throw .notAllowed }
      if !checked.contains(text) { checked.append(text) }
    }
    return checked
  }

  /// RFC 8707 §2.2: returns the resources of a token request, or all granted resources if the request names none. Each
  /// requested resource must be granted, or be the issuer, which stands for the userinfo endpoint.
  package static func subset(
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

  /// Returns the `aud` of an access token (RFC 9068 §3): the resources, or the issuer if there are none.
  package static func audience(_ resources: [String], issuer: Issuer) -> Audience {
    Audience(resources.isEmpty ? [issuer.value] : resources)
  }
}

/// The reason for an `invalid_target` error (RFC 8707 §2).
package enum ResourceError: Error, Equatable, Sendable { case malformed, notAllowed }
