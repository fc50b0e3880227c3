import Sallyport
import SallyportProtocol
import Testing

@Suite("The JSON form of a server configuration")
struct ServerConfigurationJSONTests {
  @Test("the JSON object has members of RFC 8414, discovery (true, false, or a URL), and loopback_host; unknown members are kept")
  func good() throws {
    let json = #"""
      {"issuer": "https://git.example", "discovery": false, "authorization_endpoint": "https://git.example/authorize",
       "token_endpoint": "https://git.example/token", "token_endpoint_auth_methods_supported": ["client_secret_post"],
       "x_unknown": {"a": 1}}
      """#
    let server = try ServerConfiguration(json: json.utf8)
    #expect(server.issuer.value == "https://git.example")
    #expect(server.discovery == .none)
    #expect(server.tokenEndpoint?.value == "https://git.example/token")
    #expect(server.metadata["x_unknown"] == ["a": 1])
    #expect(server.metadata["issuer"] == nil && server.metadata["discovery"] == nil)
    let issuer = try Issuer("https://id.example")
    #expect(try ServerConfiguration(json: "{}".utf8, issuer: issuer) == ServerConfiguration(issuer: issuer))
    #expect(try ServerConfiguration(json: #"{"discovery":true}"#.utf8, issuer: issuer).discovery == .automatic)
    #expect(try ServerConfiguration(json: "{}".utf8, issuer: issuer).loopbackHost == nil)
    let withLocalhost = try ServerConfiguration(json: #"{"loopback_host":"localhost"}"#.utf8, issuer: issuer)
    #expect(withLocalhost.loopbackHost == .localhost && withLocalhost.metadata.isEmpty)
    let url = try EndpointURL("https://cdn.example/m.json")
    let withDocument = try ServerConfiguration(json: #"{"discovery":"https://cdn.example/m.json"}"#.utf8, issuer: issuer)
    #expect(withDocument.discovery == .document(url))
  }

  @Test(
    "the error for invalid input says what is wrong",
    arguments: [
      ("[]", .malformed), ("", .malformed), ("{}", .issuerMissing),
      (#"{"issuer":"https://id.example/"}"#, .issuerMismatch),
      (#"{"issuer":"https://id.example","discovery":1}"#, .type(member: "discovery")),
      (#"{"issuer":"https://id.example","discovery":"http://x.example"}"#, .url(member: "discovery", .plainHTTP)),
      (#"{"issuer":"https://id.example","loopback_host":true}"#, .type(member: "loopback_host")),
      (#"{"issuer":"https://id.example","loopback_host":"example.com"}"#, .loopbackHost),
      (#"{"issuer":7}"#, .type(member: "issuer")),
      (#"{"issuer":"id.example"}"#, .url(member: "issuer", .malformed)),
      (#"{"issuer":"https://id.example","discovery":false}"#, .missing(member: "authorization_endpoint")),
      (
        #"{"issuer":"https://id.example","discovery":false,"authorization_endpoint":"https://id.example/a"}"#,
        .missing(member: "token_endpoint")
      ),
      (#"{"issuer":"https://id.example","token_endpoint":"http://id.example/t"}"#, .url(member: "token_endpoint", .plainHTTP)),
      (#"{"issuer":"https://id.example","token_endpoint":5}"#, .type(member: "token_endpoint")),
      (#"{"issuer":"https://id.example","scopes_supported":"read"}"#, .type(member: "scopes_supported")),
    ] as [(String, ServerConfiguration.JSONError)])
  func bad(json: String, error: ServerConfiguration.JSONError) throws {
    // Only the test of a mismatch passes an expected issuer. In the other tests, the JSON must contain the issuer.
    let issuer = error == .issuerMismatch ? try Issuer("https://id.example") : nil
    #expect(throws: error) { try ServerConfiguration(json: json.utf8, issuer: issuer) }
  }
}
