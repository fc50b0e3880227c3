import HTTPTypes
import Hummingbird
import NIOCore
import SallyportHTTPServer

/// Sets the peer address of an in-memory request, which has no socket, to the value of a header field for tests.
struct PeerResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerRequestContext {
  let base: Base

  func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    guard let peer = request.headers[.testPeer] else { return try await self.base.respond(to: request, context: context) }
    var context = context
    context.peer = try SocketAddress(ipAddress: peer, port: 4711)
    return try await self.base.respond(to: request, context: context)
  }
}

extension HTTPField.Name {
  static var testPeer: HTTPField.Name {
    guard let name = HTTPField.Name("Test-Peer") else { preconditionFailure("invalid field name") }
    return name
  }
}
