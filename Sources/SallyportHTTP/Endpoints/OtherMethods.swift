import HTTPTypes
import Hummingbird
import SallyportHTTPServer

extension Router<ServerRequestContext> {
  /// Adds responses with status 405 for each of the methods GET, HEAD, POST, PUT, PATCH, and DELETE that a path does
  /// not support (RFC 9110 §15.5.6). If no route handles OPTIONS, the response to OPTIONS has status 204 (§9.3.7). All
  /// these responses list the supported methods.
  ///
  /// Call this after all routes are added. HEAD is supported wherever GET is, because Hummingbird adds it.
  func rejectOtherMethods(_ render: Renderer) {
    for (path, routes) in Dictionary(grouping: self.routes, by: \.path.description) {
      let served = Set(routes.map(\.method))
      let implied: Set<HTTPRequest.Method> = served.contains(.get) ? [.head, .options] : [.options]
      let allowed = served.union(implied).map(\.rawValue).sorted().joined(separator: ", ")
      if !served.contains(.options) {
        self.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent, headers: [.allow: allowed]) }
      }
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete] where !served.union(implied).contains(method) {
        self.on(RouterPath(path), method: method) { request, context in
          var response = await render.errorPage(ErrorText(.methodNotAllowed), request, context)
          response.headers[.allow] = allowed
          return response
        }
      }
    }
  }
}
