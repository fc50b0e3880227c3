import HTTPTypes
import Hummingbird
import SallyportHTTPServer

extension Router<ServerRequestContext> {
  /// Answers the methods that an address does not serve: 405 says which it does (RFC 9110 §15.5.6), OPTIONS asks for just that
  /// (§9.3.7). Called after all routes are added. HEAD goes with GET; Hummingbird adds it.
  func refuseOtherMethods(_ render: Renderer) {
    for (path, routes) in Dictionary(grouping: self.routes, by: \.path.description) {
      let served = Set(routes.map(\.method))
      let implied: Set<HTTPRequest.Method> = served.contains(.get) ? [.head, .options] : [.options]
      let allowed = served.union(implied).map(\.rawValue).sorted().joined(separator: ", ")
      if !served.contains(.options) {
        self.on(RouterPath(path), method: .options) { _, _ in Response(status: .noContent, headers: [.allow: allowed]) }
      }
      for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete] where !served.union(implied).contains(method) {
        self.on(RouterPath(path), method: method) { _, context in
          var response = render.errorPage(RefusalText(.methodNotAllowed), context)
          response.headers[.allow] = allowed
          return response
        }
      }
    }
  }
}
