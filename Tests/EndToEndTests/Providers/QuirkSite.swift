import BrowserDriver
import HTTPTypes
import Hummingbird
import QuirkServer
import SallyportProtocol
import SallyportRemote
import SocketTestSupport

/// A provider's servers on this machine, under the provider's own names.
///
/// `HTTPS_PROXY` names a proxy that passes every connection to one local server with TLS. `SSL_CERT_FILE` names the
/// test authority that issued this server's certificate, which is valid for all hosts of the provider. So the commands
/// use the provider's real URLs, as a user does.
struct QuirkSite: Sendable {
  let server: QuirkServer
  /// `HTTPS_PROXY` and `SSL_CERT_FILE`, for `sallyport` and curl.
  let environment: [String: String]

  /// Waits until a command shows a code, which the user then enters on another device.
  func enterCode(shownBy process: ChildProcess, allow: Bool = true) async throws {
    let code: String = try await eventually("the code that sallyport shows") {
      if let status = process.exitStatus { throw UnexpectedResult("sallyport ended with \(status): \(process.errorOutput)") }
      return process.errorOutput.firstMatch(of: /(WDJB-[a-z]+-\d+)\n/).map { String($0.1) }
    }
    self.server.decide(code, allow: allow)
  }

  /// The status of the provider's API for a bearer token.
  func apiStatus(_ token: String) async throws -> Int {
    let userInfo = self.server.provider.userInfo
    var request = HTTPRequest.get(try EndpointURL(userInfo.url))
    request.method = HTTPRequest.Method(userInfo.method) ?? .get
    request.headerFields[.authorization] = "Bearer \(token)"
    return try await self.server.send(request, body: [], limits: .document).head.status.code
  }
}

/// Runs a provider's servers, which allow devices to poll every second, and creates a temporary home folder for a user.
func withQuirkSite(
  _ provider: QuirkyProvider, _ body: @escaping @Sendable (UserHome, QuirkSite) async throws -> Void
) async throws {
  var provider = provider
  let changePrompt = provider.changeDevicePrompt
  provider.changeDevicePrompt = { prompt in
    changePrompt(&prompt)
    prompt["interval"] = 1
  }
  let quirks = try QuirkServer(provider, now: { .now() })
  try await withSite(quirks, hosts: provider.hosts) { user, environment in
    try await body(user, QuirkSite(server: quirks, environment: environment))
  }
}

/// Runs servers under their own names on this machine, and creates a temporary home folder for a user.
/// - Parameter body: Receives the user, and the part of the user's environment that leads to the servers.
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
