import SallyportProtocol
import SallyportRemote

/// Properties of the validation of a protected resource's metadata (RFC 9728 §3.3).
enum ResourceMetadataProperties {
  /// A resource on the internet, one in a private network, and one on loopback.
  private static let resources = ["https://api.example/mcp", "https://10.0.0.1/", "http://localhost:9000/mcp"].compactMap {
    try? EndpointURL($0)
  }

  /// - Returns: Whether the document is valid for one of the resources.
  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let document = FuzzJSON.decode(ProtectedResourceMetadata.self, input) else { return false }
    let reparsed = FuzzJSON.encode(document).flatMap { FuzzJSON.decode(ProtectedResourceMetadata.self, $0) }
    try require(reparsed == document, "an encoded document decodes to the same value")
    var isAccepted = false
    for expected in self.resources {
      guard let resource = try? ProtectedResource(document, expecting: expected) else { continue }
      try self.checkAccepted(resource, expected)
      isAccepted = true
    }
    return isAccepted
  }

  private static func checkAccepted(_ resource: ProtectedResource, _ expected: EndpointURL) throws(Violation) {
    let document = resource.document
    try require(document.resource.utf8.elementsEqual(expected.value.utf8), "RFC 9728 §3.3: the resource is identical")
    try require(
      document.bearerMethodsSupported?.contains("header") ?? true,
      "RFC 9728 §2: the resource accepts tokens in the Authorization field, if it lists its methods")
    try require((1...16).contains(resource.authorizationServers.count), "there are 1 to 16 authorization servers")
    for issuer in resource.authorizationServers {
      try require(
        document.authorizationServers?.contains(issuer.value) ?? false, "the document lists each authorization server")
      try require(
        AddressPolicy.allowsReference(from: expected, to: issuer.url),
        "the address policy lets the resource name the authorization server")
      try EndpointProperties.check(issuer.url, requiresHTTPS: expected.value.hasPrefix("https://"))
      let isOnInternet = expected.value.hasPrefix("https://api.example")
      try require(
        !isOnInternet || !issuer.value.hasPrefix("http:"), "a resource on the internet has no authorization server with http")
      try require(!issuer.value.contains("?"), "an issuer has no query")
    }
    guard let scope = resource.scope else { return }
    try require(Scope(scope.description) == scope, "an encoded scope decodes to the same value")
  }
}
