import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// The endpoints that clients and APIs call without a browser: token (RFC 6749 §3.2), revocation (RFC 7009),
/// introspection (RFC 7662), pushed authorization requests (RFC 9126), and device authorization (RFC 8628).
struct TokenRoutes: Sendable {
  let server: AuthorizationServer
  let metrics: ServerMetrics

  func add(to router: some RouterMethods<ServerRequestContext>) {
    router.addCrossOrigin(EndpointPath.token, methods: [.post], use: self.token)
    router.addCrossOrigin(EndpointPath.revocation, methods: [.post], use: self.revoke)
    router.addCrossOrigin(EndpointPath.pushedRequest, methods: [.post], use: self.push)
    router.addCrossOrigin(EndpointPath.deviceAuthorization, methods: [.post], use: self.authorizeDevice)
    // Only APIs introspect tokens, so scripts of other origins have no access. Requests with methods other than POST
    // are routed too, so that `respond` rejects them with JSON.
    for method in [.post, .get, .head, .put, .delete, .patch] as [HTTPRequest.Method] {
      router.on(RouterPath(EndpointPath.introspection), method: method, use: self.introspect)
    }
  }

  @Sendable func token(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.respond(.token, request, context) { form in
      let issued = try await self.server.token.respond(
        to: form.body, authorization: form.authorization, proofs: form.proofs, origin: context.origin, from: context.address)
      self.metrics.issued(issued.grantType)
      return .json(TokenResponseJSON(issued.response), headers: Self.noCache)
    }
  }

  @Sendable func revoke(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.respond(.revocation, request, context) { form in
      try await self.server.revocation.respond(
        to: form.body, authorization: form.authorization, origin: context.origin, from: context.address)
      return Response(status: .ok, headers: Self.noStore)
    }
  }

  @Sendable func introspect(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.respond(.introspection, request, context) { form in
      let response = try await self.server.introspection.respond(
        to: form.body, authorization: form.authorization, origin: context.origin, from: context.address)
      return .json(response, headers: Self.noStore)
    }
  }

  @Sendable func push(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.respond(.pushedRequest, request, context) { form in
      let response = try await self.server.pushedRequests.respond(
        to: form.body, authorization: form.authorization, proofs: form.proofs, origin: context.origin, from: context.address)
      return try .json(response, status: .created, headers: Self.noStore)
    }
  }

  @Sendable func authorizeDevice(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    try await self.respond(.deviceAuthorization, request, context) { form in
      let response = try await self.server.deviceAuthorization.respond(
        to: form.body, authorization: form.authorization, proofs: form.proofs, origin: context.origin, from: context.address)
      return try .json(response.json, headers: Self.noStore)
    }
  }

  // MARK: Common parts

  private struct Form {
    let body: String
    let authorization: String?
    /// The DPoP proofs of the request.
    let proofs: [String]
  }

  private static let noStore: HTTPFields = [.cacheControl: "no-store"]
  /// RFC 6749 §5.1 requires both fields in a response that contains tokens.
  private static let noCache: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]

  /// Checks that the request is a POST with a form, and turns errors of `handler` into JSON.
  private func respond(
    _ endpoint: ServerMetrics.Endpoint, _ request: Request, _ context: ServerRequestContext,
    _ handler: (Form) async throws -> Response
  ) async throws -> Response {
    var response: Response
    let proofs = request.proofs
    do {
      guard request.method == .post else { throw ClientRequestError.methodNotPost }
      // RFC 6749 §2.3.1: credentials must not be in the URL, which ends up in logs and histories.
      guard request.uri.query == nil else { throw ClientRequestError.parametersInURL }
      guard request.hasFormContentType else { throw ClientRequestError.notAForm }
      response = try await handler(
        Form(body: try await request.formText(), authorization: request.headers.value(of: .authorization), proofs: proofs))
    } catch let error as any EndpointError {
      self.metrics.rejected(endpoint, error)
      response = try Self.errorResponse(error, request, context)
    } catch let error as HTTPError {
      // The body is too large, incomplete, or not valid UTF-8. Clients receive JSON instead of the error page for
      // users.
      self.metrics.rejected(endpoint, .invalidRequest)
      response = try Self.errorResponse(ClientRequestError.malformedForm, request, context, status: error.status)
    }
    // RFC 9449 §8.2: the response to a request with a proof contains a nonce for the client's next proof.
    if !proofs.isEmpty { response.headers[.dpopNonce] = self.server.nonces.current }
    return response
  }

  /// The error response of RFC 6749 §5.2.
  private static func errorResponse(
    _ error: any EndpointError, _ request: Request, _ context: ServerRequestContext, status: HTTPResponse.Status? = nil
  ) throws -> Response {
    // A missing nonce is normal, so it is only logged at debug level: the client receives the nonce and repeats the
    // request (RFC 9449 §8).
    let level: Logger.Level = error.code == .useDPoPNonce ? .debug : .notice
    context.logger.log(
      level: level, "client request rejected", metadata: ["error": "\(error.code)", "reason": "\(error.reason)"])
    return try .json(error.response, status: status, headers: self.noCache)
  }
}

extension Response {
  /// The JSON of an error response (RFC 6749 §5.2).
  /// - Parameters:
  ///   - status: Replaces the error's own status. Nil keeps it.
  ///   - headers: The endpoint's header fields, to which the error's own fields are added.
  static func json(
    _ error: ErrorResponse, status: HTTPResponse.Status? = nil, headers: HTTPFields
  ) throws -> Response {
    var headers = headers
    for field in error.headers { headers.append(field) }
    return try .json(
      OAuthErrorJSON(error: error.code, description: error.description), status: status ?? error.status, headers: headers)
  }
}
