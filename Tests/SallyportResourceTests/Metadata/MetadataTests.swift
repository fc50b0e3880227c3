#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport
import Testing

struct MetadataTests {
  private static func api(
    _ resource: String, _ description: ResourceDescription = .init(), dpop: DPoPAcceptance.Demand = .accepted,
    transport: FakeTransport = FakeTransport()
  ) throws -> ResourceServer {
    try ResourceServer(
      EndpointURL(resource),
      trusting: [TrustedIssuer(Issuer("https://id.example")), TrustedIssuer(Issuer("https://b.example/x"))],
      describedBy: description, dpop: DPoPAcceptance(dpop), transport: transport)
  }

  @Test(
    "R-02: RFC 9728 §3.1: the well-known path is inserted between the API's host and path",
    arguments: [
      (
        "https://api.example", "https://api.example/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource"
      ),
      (
        "https://api.example/", "https://api.example/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource"
      ),
      (
        "https://api.example:8443/a/b", "https://api.example:8443/.well-known/oauth-protected-resource/a/b",
        "/.well-known/oauth-protected-resource/a/b"
      ),
      (
        "https://api.example/a?tenant=1", "https://api.example/.well-known/oauth-protected-resource/a?tenant=1",
        "/.well-known/oauth-protected-resource/a"
      ),
      (
        "https://api.example?tenant=1", "https://api.example/.well-known/oauth-protected-resource?tenant=1",
        "/.well-known/oauth-protected-resource"
      ),
      (
        "https://api.example/?tenant=1", "https://api.example/.well-known/oauth-protected-resource?tenant=1",
        "/.well-known/oauth-protected-resource"
      ),
    ])
  func wellKnownPath(resource: String, url: String, path: String) throws {
    let api = try Self.api(resource)
    #expect(api.metadataURL == url && api.metadataPath == path)
  }

  @Test("R-02: the metadata contains the trusted issuers, how to send tokens, the DPoP rules, and the API's description")
  func document() throws {
    let description = ResourceDescription(
      name: "Notes", scopes: "notes:read notes:write", documentation: try EndpointURL("https://api.example/docs"))
    let api = try Self.api("https://api.example/notes", description, dpop: .required)
    let expected = """
      {"authorization_servers":["https://id.example","https://b.example/x"],"bearer_methods_supported":["header"],\
      "dpop_bound_access_tokens_required":true,"dpop_signing_alg_values_supported":["ES256","ES384","EdDSA"],\
      "resource":"https://api.example/notes","resource_documentation":"https://api.example/docs","resource_name":"Notes",\
      "scopes_supported":["notes:read","notes:write"]}
      """
    #expect(String(decoding: api.metadataDocument, as: UTF8.self) == expected)
    let plain = try Self.api("https://api.example/notes", dpop: .off)
    #expect(plain.metadata.dpopSigningAlgValuesSupported == nil && plain.metadata.dpopBoundAccessTokensRequired == nil)
  }

  @Test("R-02: a client that knows only the API's URL finds its authorization servers")
  func discovery() async throws {
    let transport = FakeTransport()
    let api = try Self.api("https://api.example/notes", transport: transport)
    // The API's response to a request without a token contains the URL of the metadata.
    let error = try #require(
      await api.error(of: HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/notes")))
    transport.on(
      "https://api.example/notes",
      respond: TransportResponse(head: HTTPResponse(status: error.status, headerFields: error.fields), body: []))
    transport.on(api.metadataURL, respond: .body(api.metadataDocument, type: "application/json"))
    let found = try await ResourceDiscovery(transport: transport).metadata(of: EndpointURL("https://api.example/notes"))
    #expect(found.authorizationServers.map(\.value) == ["https://id.example", "https://b.example/x"])
  }
}
