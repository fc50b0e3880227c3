import HTTPTypes
import Hummingbird
import NIOCore
import SallyportHTTPServer

/// Sets the peer address of in-memory requests, which have no socket. Tests send the address in the field `Test-Peer`.
struct PeerResponder<Base: HTTPResponder>: HTTPResponder where Base.Context == ServerRequestContext {
  let base: Base

  func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
    guard let peer = request.headers[.testPeer] else { return try await self.base.respond(to: request, context: context) }
    var context = context
    // The server does not use the port.
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
