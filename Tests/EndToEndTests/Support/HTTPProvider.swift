import BrowserDriver
import Foundation

/// An authorization server on loopback that approves every authorization request at once and records all requests. It
/// supports neither pushed authorization requests nor OpenID Connect, and no changes of a registration.
///
/// A sign-in with a DPoP proof gets a bound token, but a refresh always gets a bearer token, so that a test can check
/// that the client rejects it.
struct HTTPProvider: Sendable {
  let issuer: String
  fileprivate let log: String

  /// A request that the server received.
  struct Received: Decodable {
    var path: String
    var parameters: [String: String]
    var authorization: String?
  }

  /// Returns the requests to this path, oldest first.
  func received(_ path: String) throws -> [Received] {
    let lines = try String(contentsOfFile: self.log, encoding: .utf8).split(separator: "\n")
    return try lines.map { try JSONDecoder().decode(Received.self, from: Data($0.utf8)) }.filter { $0.path == path }
  }

  /// The options of `sallyport login` that replace the browser with ``browserCommand``.
  static let browserOptions = ["--browser", Self.browserCommand]
  /// A command that opens a URL with curl and follows all redirects, including the one to `sallyport login`.
  static let browserCommand = "/usr/bin/curl --silent --location --output /dev/null"

  /// The provider as a Python program. Its arguments are the file for the received requests, and the client secret or
  /// an empty string.
  fileprivate static let program = """
    import base64, http.server, json, sys, urllib.parse
    log, secret = sys.argv[1:3]
    # The secret of each registered client, or None if the client has no secret.
    secrets = {}
    class Provider(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_GET(self):
            base = "http://127.0.0.1:%d" % self.server.server_port
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            self.note(url.path, query)
            if url.path == "/authorize":
                self.send_response(302)
                target = dict(code="code", state=query["state"])
                self.send_header("Location", query["redirect_uri"] + "?" + urllib.parse.urlencode(target))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif url.path == "/.well-known/oauth-authorization-server":
                names = dict(authorization="authorize", token="token", device_authorization="device", registration="register")
                document = dict((name + "_endpoint", base + "/" + path) for name, path in names.items())
                self.send(200, dict(document, issuer=base, response_types_supported=["code"],
                    dpop_signing_alg_values_supported=["ES256"],
                    token_endpoint_auth_methods_supported=["none", "client_secret_post"]))
            else: self.send(404, {})
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            if self.path == "/register":
                self.note(self.path, {})
                client = dict(json.loads(body), client_id="registered" + (str(len(secrets) + 1) if secrets else ""))
                secrets[client["client_id"]] = None
                if client.get("token_endpoint_auth_method") == "client_secret_post":
                    secrets[client["client_id"]] = "secret-of-" + client["client_id"]
                    client = dict(client, client_secret=secrets[client["client_id"]], client_secret_expires_at=0)
                return self.send(201, client)
            form = dict(urllib.parse.parse_qsl(body))
            self.note(self.path, form)
            if self.path == "/device":
                base = "http://127.0.0.1:%d" % self.server.server_port
                self.send(200, dict(device_code="d", user_code="AAAA-BBBB", verification_uri=base + "/d", expires_in=300, interval=1))
            elif (secrets.get(form.get("client_id")) or secret or None) != form.get("client_secret"):
                self.send(401, dict(error="invalid_client"))
            else:
                bound = "DPoP" in self.headers and form["grant_type"] != "refresh_token"
                self.send(200, dict(access_token="access-" + form.get("client_id", ""), expires_in=3600, refresh_token="refresh",
                    token_type="DPoP" if bound else "Bearer"))
        def note(self, path, parameters):
            with open(log, "a") as file:
                json.dump(dict(path=path, parameters=parameters, authorization=self.headers.get("Authorization")), file)
                file.write("\\n")
        def send(self, status, document):
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    print(server.server_port, flush=True)
    server.serve_forever()
    """
}

/// Runs a provider while `body` runs.
/// - Parameter secret: The client secret that the provider requires, or an empty string if it requires none.
func withProvider<R>(
  secret: String = "", isolation: isolated (any Actor)? = #isolation, _ body: (HTTPProvider) async throws -> R
) async throws -> R {
  try await withTemporaryFolder { folder in
    let log = "\(folder)/requests"
    try "".write(toFile: log, atomically: true, encoding: .utf8)
    let process = try ChildProcess(ChildCommand("/usr/bin/python3", ["-c", HTTPProvider.program, log, secret]), folder: folder)
    defer { process.end() }
    let port = try await eventually("the provider to accept connections") {
      if let status = process.exitStatus { throw UnexpectedResult("the provider ended with \(status): \(process.errorOutput)") }
      return process.output.hasSuffix("\n") ? UInt16(process.output.dropLast()) : nil
    }
    return try await body(HTTPProvider(issuer: "http://127.0.0.1:\(port)", log: log))
  }
}
