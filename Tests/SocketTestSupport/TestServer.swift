package import HTTPTypes
package import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import HummingbirdTLS
import Logging
package import NIOSSL
import SallyportProtocol
import SallyportRemote

/// Runs a real server on a free loopback port while `body` runs, and passes the port to `body`.
package func withServer<Value: Sendable>(
  tls: TLSConfiguration? = nil, _ configure: (Router<BasicRequestContext>) -> Void,
  _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> Value {
  let router = Router()
  configure(router)
  let server = try tls.map { try HTTPServerBuilder.tls(tlsConfiguration: $0) } ?? .http1()
  let application = Application(
    responder: router.buildResponder(), server: server, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  return try await application.test(tls == nil ? .ahc(.http) : .ahc(.https)) { client in
    try await body(client.port ?? 0)
  }
}

extension HTTPRequest {
  /// A GET request to a path of the test server.
  package static func get(_ path: String, port: Int, scheme: String = "http", host: String = "localhost") throws -> HTTPRequest {
    .get(try EndpointURL("\(scheme)://\(host):\(port)\(path)"))
  }
}
