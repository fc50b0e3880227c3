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
  /// - Returns: The resources without duplicates, in the spelling of `known`, or otherwise of the client's
  ///   registration.
  /// - Throws: ``ResourceError`` if a resource is malformed, unknown, or not allowed for the client, or if there are
  ///   more than 16.
  package static func validate(
    _ list: [String], by client: ClientRecord, known: [String]?
  ) throws(ResourceError) -> [String] {
    var checked: [String] = []
    guard list.count <= 16 else { throw .malformed }
    for text in list {
      guard self.isValid(text) else { throw .malformed }
      var resource = text
      // The spelling of the server's settings takes precedence.
      for list in [client.details.resources, known].compactMap(\.self) {
        guard let spelling = self.find(resource, in: list) else { throw .notAllowed }
        resource = spelling
      }
      if self.find(resource, in: checked) == nil { checked.append(resource) }
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
      guard let resource = self.find(text, in: granted + [issuer.value]) else { throw .notAllowed }
      if !checked.contains(resource) { checked.append(resource) }
    }
    return checked
  }

  /// Returns the spelling in a list of a resource that a client requests; nil if the list does not contain the
  /// resource. A URL without a path is equal to the same URL with the path `/` (RFC 3986 §6.2.3), which programs that
  /// parse a URL add to it.
  private static func find(_ text: String, in list: [String]) -> String? {
    if list.contains(text) { return text }
    return list.first { ResourceIndicator.areEquivalent($0, text) }
  }

  /// Returns the `aud` of an access token (RFC 9068 §3): the resources, or the issuer if there are none.
  package static func audience(_ resources: [String], issuer: Issuer) -> Audience {
    Audience(resources.isEmpty ? [issuer.value] : resources)
  }
}

/// The reason for an `invalid_target` error (RFC 8707 §2).
package enum ResourceError: Error, Equatable, Sendable { case malformed, notAllowed }
