import HTTPTypes
import Hummingbird
import Logging
import SallyportProtocol
import SallyportServer

/// The token endpoint, RFC 6749 §3.2, and the revocation endpoint, RFC 7009.
struct TokenRoutes<S: Store>: Sendable {
  let server: AuthorizationServer<S>

  func add(to router: some RouterMethods<BasicRequestContext>) {
    router.addCrossOrigin(EndpointPath.token, methods: [.post], use: self.token)
    router.addCrossOrigin(EndpointPath.revocation, methods: [.post], use: self.revoke)
  }

  @Sendable func token(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    try await self.answering(request, context) { body, authorization in
      let response = try await self.server.token.respond(to: body, authorization: authorization)
      return try .json(TokenResponseJSON(response), headers: [.cacheControl: "no-store", .pragma: "no-cache"])
    }
  }

  @Sendable func revoke(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    try await self.answering(request, context) { body, authorization in
      try await self.server.revocation.respond(to: body, authorization: authorization)
      return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }
  }

  private func answering(
    _ request: Request, _ context: BasicRequestContext,
    _ respond: (_ body: String, _ authorization: String?) async throws -> Response
  ) async throws -> Response {
    do {
      guard request.method == .post else { throw TokenError(.invalidRequest, .methodNotPost) }
      // RFC 6749 §2.3.1: never in the URL, where logs and histories would keep it.
      guard request.uri.query == nil else { throw TokenError(.invalidRequest, .parametersInURL) }
      guard request.hasFormContentType else { throw TokenError(.invalidRequest, .notAForm) }
      return try await respond(try await request.formText(), request.headers[.authorization])
    } catch let error as TokenError {
      return try Self.refusal(error, request, context)
    } catch let error as HTTPError {
      // A body that is too large or not UTF-8 gets JSON here, and not the page that people get.
      return try Self.refusal(TokenError(.invalidRequest, .malformedForm), request, context, status: error.status)
    }
  }

  /// RFC 6749 §5.2.
  private static func refusal(
    _ error: TokenError, _ request: Request, _ context: BasicRequestContext, status: HTTPResponse.Status? = nil
  ) throws -> Response {
    context.logger.notice(
      "token request refused", metadata: ["error": "\(error.code)", "reason": "\(error.reason.label)"])
    var headers: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]
    if error.reason == .methodNotPost { headers[.allow] = "POST" }
    if error.code == .invalidClient { headers[.wwwAuthenticate] = "Basic realm=\"client\"" }
    return try .json(
      OAuthErrorJSON(error: error.code, description: error.description), status: status ?? self.status(of: error),
      headers: headers)
  }

  private static func status(of error: TokenError) -> HTTPResponse.Status {
    switch (error.code, error.reason) {
    case (_, .methodNotPost): .methodNotAllowed
    case (.invalidClient, _): .unauthorized
    case (.serverError, .storage): .serviceUnavailable
    case (.serverError, _): .internalServerError
    default: .badRequest
    }
  }
}
