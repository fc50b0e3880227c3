import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer

/// The URIs to which upstreams, the OpenID providers through which users sign in to this server, send logout tokens
/// (OpenID Connect Back-Channel Logout §2.5). Each upstream has its own URI.
struct UpstreamLogoutRoutes: Sendable {
  let logout: UpstreamLogout

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.post(RouterPath("\(EndpointPath.upstream)/:upstream/backchannel-logout"), use: self.endSessions)
  }

  @Sendable func endSessions(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let id = context.parameters.get("upstream") ?? ""
    do {
      guard request.hasFormContentType else { throw UpstreamLogoutError.malformedRequest }
      let count = try await self.logout.run(
        id, body: try await request.formText(), from: context.address, context.origin(of: request))
      context.logger.info("an upstream ended sessions", metadata: ["upstream": "\(id)", "sessions": "\(count)"])
      return Response(status: .ok, headers: Self.noStore)
    } catch let error as UpstreamLogoutError {
      return try self.response(to: error, context)
    } catch let error as HTTPError {
      // The body is too large, incomplete, or not valid UTF-8.
      return try self.response(to: .malformedRequest, status: error.status, context)
    }
  }

  /// The response must not be cached (§2.8).
  private static let noStore: HTTPFields = [.cacheControl: "no-store"]

  private func response(
    to error: UpstreamLogoutError, status: HTTPResponse.Status? = nil, _ context: ServerRequestContext
  ) throws -> Response {
    // The upstream's identifier comes from the request, and may name no upstream, so it is not logged.
    context.logger.notice("logout token rejected", metadata: ["reason": "\(error.reason)"])
    return try .json(error.response, status: status, headers: Self.noStore)
  }
}
