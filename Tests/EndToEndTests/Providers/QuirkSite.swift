import BrowserDriver
import HTTPTypes
import Hummingbird
import QuirkServer
import SallyportProtocol
import SallyportRemote
import SocketTestSupport

/// An imitation of a provider's servers on this machine (`QuirkServer`), with the provider's real host names.
///
/// The commands use the provider's real URLs, as they do on a user's machine. `HTTPS_PROXY` names a proxy that passes
/// every connection to one local server with TLS. The local server's certificate is valid for all hosts of the
/// provider, and `SSL_CERT_FILE` names the certificate of the test authority that issued it.
struct QuirkSite: Sendable {
  let server: QuirkServer
  /// `HTTPS_PROXY` and `SSL_CERT_FILE`, for `sallyport` and curl.
  let environment: [String: String]

  /// Waits until a command shows a code, and then enters it as the user does on another device.
  func enterCode(shownBy process: ChildProcess, allow: Bool = true) async throws {
    // The user codes of `QuirkServer` begin with "WDJB-".
    let code: String = try await eventually("the code that sallyport shows") {
      if let status = process.exitStatus { throw UnexpectedResult("sallyport ended with \(status): \(process.errorOutput)") }
      return process.errorOutput.firstMatch(of: /(WDJB-[a-z]+-\d+)\n/).map { String($0.1) }
    }
    self.server.decide(code, allow: allow)
  }

  /// Sends a bearer token to the provider's API, and returns the status of the response.
  func apiStatus(_ token: String) async throws -> Int {
    let api = self.server.provider.api
    var request = HTTPRequest.get(try EndpointURL(api.url))
    request.method = HTTPRequest.Method(api.method) ?? .get
    request.headerFields[.authorization] = "Bearer \(token)"
    return try await self.server.send(request, body: [], limits: .document).head.status.code
  }
}

/// Runs a provider's servers, and creates a user with a temporary home folder. The servers allow devices to poll every
/// second.
func withQuirkSite(
  _ provider: QuirkyProvider, _ body: @escaping @Sendable (UserHome, QuirkSite) async throws -> Void
) async throws {
  var provider = provider
  let changePrompt = provider.changeDeviceResponse
  provider.changeDeviceResponse = { prompt in
    changePrompt(&prompt)
    prompt["interval"] = 1
  }
  let quirks = try QuirkServer(provider, now: { .now() })
  try await withSite(quirks, hosts: provider.hosts) { user, environment in
    try await body(user, QuirkSite(server: quirks, environment: environment))
  }
}

/// Runs servers with their real host names on this machine, and creates a user with a temporary home folder.
/// - Parameter body: Receives the user, and the environment variables with which programs reach the servers.
func withSite(
  _ servers: some Transport, hosts: [String],
  _ body: @escaping @Sendable (UserHome, [String: String]) async throws -> Void
) async throws {
  let certificates = try TestCertificates(host: hosts[0], otherHosts: Array(hosts.dropFirst()))
  try await withServer(tls: certificates.server) { router in
    for method in [HTTPRequest.Method.get, .post, .delete] {
      router.on("**", method: method) { request, _ in try await servers.response(to: request) }
    }
  } _: { port in
    try await ConnectProxy.run(to: port) { _, proxyPort in
      try await certificates.withTrustRoots { roots in
        let environment = ["HTTPS_PROXY": "http://127.0.0.1:\(proxyPort)", "SSL_CERT_FILE": roots]
        try await withUser { user in
          var user = user
          user.environment.merge(environment) { $1 }
          try await body(user, environment)
        }
      }
    }
  }
}

extension Transport {
  fileprivate func response(to request: Request) async throws -> Response {
    var head = request.head
    head.scheme = "https"
    let body = try await request.body.collect(upTo: 1 << 20)
    let response = try await self.send(head, body: Array(buffer: body), limits: .document)
    return Response(
      status: response.head.status, headers: response.head.headerFields, body: .init(byteBuffer: ByteBuffer(bytes: response.body))
    )
  }
}
