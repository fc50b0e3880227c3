import BrowserDriver
import Foundation

/// An API on loopback that names its authorization server (RFC 9728). Its response to a request with a token describes
/// the request.
struct HTTPAPI: Sendable {
  let url: String
  /// The file that contains the issuer of the authorization server.
  fileprivate let issuerFile: String

  /// The API's response to a request with a token.
  struct ReceivedRequest: Decodable {
    var method: String
    var scheme: String
    var token: String
    /// Whether the request has a DPoP proof.
    var proof: Bool
    var contentType: String?
    var body: String
  }

  /// Changes the authorization server that the API names.
  func changeAuthorizationServer(to server: ServerHome) throws {
    try server.issuer.write(toFile: self.issuerFile, atomically: true, encoding: .utf8)
  }

  /// The API as a Python program. The header field `X-Status` of a request with a token selects the status of the
  /// response.
  fileprivate static let program = """
    import http.server, json, sys
    class API(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_GET(self):
            base = "http://127.0.0.1:%d" % self.server.server_port
            well_known = "/.well-known/oauth-protected-resource"
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            if self.path == well_known + "/mcp":
                document = dict(resource=base + "/mcp", authorization_servers=[open(sys.argv[1]).read()], scopes_supported=["email"])
                self.send(200, document)
            elif self.path.startswith(well_known): self.send(404, {})
            elif not token: self.send(401, {}, 'Bearer resource_metadata="%s%s/mcp"' % (base, well_known))
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                self.send(int(self.headers.get("X-Status", 200)), dict(
                    method=self.command, scheme=scheme, token=token, proof="DPoP" in self.headers,
                    contentType=self.headers.get("Content-Type"), body=body))
        do_POST = do_PUT = do_GET
        def send(self, status, document, challenge=None):
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if challenge: self.send_header("WWW-Authenticate", challenge)
            self.end_headers()
            self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}

/// Runs an API that names this server as its authorization server, and accepts any token.
func withAPI<R>(
  of server: ServerHome, isolation: isolated (any Actor)? = #isolation, _ body: (HTTPAPI) async throws -> R
) async throws -> R {
  let issuerFile = "\(server.folder)/api-issuer"
  try server.issuer.write(toFile: issuerFile, atomically: true, encoding: .utf8)
  let process = try ChildProcess(
    ChildCommand("/usr/bin/python3", ["-c", HTTPAPI.program, issuerFile]), folder: server.folder)
  defer { process.end() }
  let port = try await eventually("the API to accept connections") {
    if let status = process.exitStatus { throw UnexpectedResult("the API ended with \(status): \(process.errorOutput)") }
    return process.output.hasSuffix("\n") ? UInt16(process.output.dropLast()) : nil
  }
  return try await body(HTTPAPI(url: "http://127.0.0.1:\(port)/mcp", issuerFile: issuerFile))
}
