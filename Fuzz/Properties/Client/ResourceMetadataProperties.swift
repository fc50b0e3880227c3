import SallyportProtocol
import SallyportRemote

/// A protected resource's metadata, RFC 9728 §3.3.
enum ResourceMetadataProperties {
  private static let resources = ["https://api.example/mcp", "https://10.0.0.1/", "http://localhost:9000/mcp"].compactMap {
    try? EndpointURL($0)
  }

  static func check(_ input: [UInt8]) throws(Violation) -> Bool {
    guard let document = FuzzJSON.decode(ProtectedResourceMetadata.self, input) else { return false }
    let again = FuzzJSON.encode(document).flatMap { FuzzJSON.decode(ProtectedResourceMetadata.self, $0) }
    try require(again == document, "a document that is written again reads the same")
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
    try require(document.bearerMethodsSupported?.contains("header") ?? true, "RFC 9728 §2: tokens go in the header")
    try require((1...16).contains(resource.authorizationServers.count), "there are servers, and not too many")
    for issuer in resource.authorizationServers {
      try require(document.authorizationServers?.contains(issuer.value) ?? false, "a server is one of the document")
      try require(AddressPolicy.mayLead(from: expected, to: issuer.url), "a server is one that the resource may lead to")
      try EndpointProperties.check(issuer.url, isHTTPS: expected.value.hasPrefix("https://"))
      let isPublic = expected.value.hasPrefix("https://api.example")
      try require(!isPublic || !issuer.value.hasPrefix("http:"), "a public resource leads to no plain server")
      try require(!issuer.value.contains("?"), "an issuer has no query")
    }
    guard let scope = resource.scope else { return }
    try require(Scope(scope.description) == scope, "the scope reads the same when it is written")
  }
}
