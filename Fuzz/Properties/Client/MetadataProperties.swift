import SallyportProtocol
import SallyportRemote

/// Properties of the validation of a server's metadata (RFC 8414 §3.3, OpenID Connect Discovery §4.3).
enum MetadataProperties {
  private static let issuers = ["https://as.example", "https://as.example/t/", "http://localhost:8080"].compactMap {
    try? Issuer($0)
  }

  /// - Returns: Whether the document is valid for one of the issuers.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let document = FuzzJSON.decode(ServerMetadata.self, input) else { return false }
    let encoded = FuzzJSON.encode(document)
    let reparsed = encoded.flatMap { FuzzJSON.decode(ServerMetadata.self, $0) }
    try require(reparsed == document, "an encoded document decodes to the same value")
    var isAccepted = false
    for issuer in self.issuers {
      guard let metadata = try? ProviderMetadata(document, expecting: issuer) else { continue }
      try self.checkAccepted(metadata, issuer)
      isAccepted = true
    }
    return isAccepted
  }

  private static func checkAccepted(_ metadata: ProviderMetadata, _ issuer: Issuer) throws(Violation) {
    let document = metadata.document
    try require(document.issuer.utf8.elementsEqual(issuer.value.utf8), "RFC 8414 §3.3: the issuer is identical")
    try require(
      document.codeChallengeMethodsSupported?.contains("S256") ?? true,
      "RFC 7636 §4.2: S256 is supported, if the methods are listed")
    try require(
      document.responseTypesSupported?.contains("code") ?? true, "the code flow is supported, if the response types are listed")
    let endpoints = [
      (metadata.authorizationEndpoint, document.authorizationEndpoint), (metadata.tokenEndpoint, document.tokenEndpoint),
      (metadata.jwksURI, document.jwksURI), (metadata.userinfoEndpoint, document.userinfoEndpoint),
      (metadata.revocationEndpoint, document.revocationEndpoint), (metadata.endSessionEndpoint, document.endSessionEndpoint),
      (metadata.registrationEndpoint, document.registrationEndpoint),
      (metadata.pushedAuthorizationRequestEndpoint, document.pushedAuthorizationRequestEndpoint),
      (metadata.deviceAuthorizationEndpoint, document.deviceAuthorizationEndpoint),
    ]
    for (endpoint, text) in endpoints {
      try require(endpoint?.value == text, "each endpoint is identical to its text in the document")
      if let endpoint { try EndpointProperties.check(endpoint, requiresHTTPS: issuer.value.hasPrefix("https://")) }
    }
    let revalidated = try? ProviderMetadata(document, expecting: issuer)
    try require(
      revalidated?.tokenEndpoint == metadata.tokenEndpoint, "an accepted document, validated again, has the same token endpoint")
  }
}

/// Properties of an ``EndpointURL``.
enum EndpointProperties {
  /// - Parameter requiresHTTPS: Whether the URL must use `https`. Otherwise, it can also use `http` on loopback.
  static func check(_ url: EndpointURL, requiresHTTPS: Bool) throws(Violation) {
    let text = url.value
    let isLoopback = ["http://127.0.0.1", "http://[::1]", "http://localhost"].contains { prefix in
      text.hasPrefix(prefix) && [nil, ":", "/", "?"].contains(text.dropFirst(prefix.count).first)
    }
    try require(
      text.hasPrefix("https://") || (!requiresHTTPS && isLoopback), "an endpoint uses https, or http on loopback if allowed")
    let isAllowed = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) }
    try require(isAllowed, "an endpoint has only characters that RFC 3986 allows, and no fragment")
    // The parts are the scheme with its colon, an empty part, and the authority.
    let authority = text.split(separator: "/", omittingEmptySubsequences: false)[2].prefix { $0 != "?" }
    try require(
      !authority.contains("@") && authority == url.authority,
      "an endpoint's authority is the one in its text, without user information")
    try require((try? EndpointURL(text)) == url, "parsing an endpoint again returns the same URL")
    let extended = try? EndpointURL(url.appending(query: [("a b", "c&d#e")]))
    try require(extended?.authority == url.authority, "parameters do not change the host or port")
    try require(extended?.value.hasSuffix("a%20b=c%26d%23e") == true, "parameters are appended to the query")
  }
}
