import HTTPTypes
import Hummingbird
import SallyportHTTPServer

/// The header fields that scripts may send. MCP clients in a browser send `mcp-protocol-version` with every request.
private let crossOriginRequestFields = "authorization, content-type, dpop, mcp-protocol-version"

private let crossOriginResponseFields = [
  HTTPField(name: .accessControlAllowOrigin, value: "*"),
  // RFC 9449 §8: a script must be able to read the nonce.
  HTTPField(name: .accessControlExposeHeaders, value: "DPoP-Nonce, WWW-Authenticate"),
]

extension RouterMethods where Context == ServerRequestContext {
  /// Adds an endpoint that scripts of any origin may call.
  ///
  /// The endpoint ignores cookies, so a script can request only what any program can request. The authorization
  /// endpoint and the pages are never added this way (RFC 9700 §2.6).
  ///
  /// If the endpoint accepts only POST, `handler` also receives requests with other methods, so that it can reject them
  /// with the error response of its protocol.
  func addCrossOrigin(
    _ path: String, methods: [HTTPRequest.Method],
    use handler: @escaping @Sendable (Request, ServerRequestContext) async throws -> Response
  ) {
    let allowed = methods.map(\.rawValue).joined(separator: ", ")
    self.on(RouterPath(path), method: .options) { _, _ in
      // Chromium caches the response to a preflight request for at most two hours (7,200 seconds).
      Response(
        status: .noContent,
        headers: [
          .accessControlAllowOrigin: "*", .accessControlAllowMethods: allowed,
          .accessControlAllowHeaders: crossOriginRequestFields, .accessControlMaxAge: "7200",
        ])
    }
    let handled: [HTTPRequest.Method] = methods == [.post] ? [.post, .get, .put, .delete, .head, .patch] : methods
    for method in handled {
      self.on(RouterPath(path), method: method) { request, context in
        var response = try await handler(request, context)
        // The fields are appended and not set, because setting a field searches for an existing one first, and nothing
        // else adds these fields.
        response.headers.append(contentsOf: crossOriginResponseFields)
        return response
      }
    }
  }
}
