import HTTPTypes
import Hummingbird
import Logging
import SallyportHTTPServer
import SallyportObservability
import SallyportProtocol
import SallyportServer

/// The client registration endpoint (RFC 7591 §3) and the client configuration endpoint (RFC 7592 §2).
struct RegistrationRoutes: Sendable {
  let server: AuthorizationServer
  let metrics: ServerMetrics

  func add(to router: some RouterMethods<ServerRequestContext>) {
    if self.server.configuration.registration.mode != .off {
      router.addCrossOrigin(EndpointPath.registration, methods: [.post], use: self.register)
    }
    // Registered clients can read, update, and delete their registrations even when new registrations are turned off.
    router.addCrossOrigin("\(EndpointPath.registration)/:client", methods: [.get, .put, .delete], use: self.manage)
  }

  @Sendable func register(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    guard request.method == .post else {
      return try Self.errorResponse(
        .methodNotAllowed, "invalid_request", "The registration endpoint requires POST.", headers: [.allow: "POST"])
    }
    return try await self.respond(context) {
      let body = try await Self.json(request)
      let response = try await self.server.registration.register(
        body, token: request.bearerToken, origin: context.origin, from: context.address)
      return try .json(RegistrationResponseJSON(response), status: .created, headers: Self.headers)
    }
  }

  @Sendable func manage(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
    let id = ClientID(rawValue: context.parameters.get("client") ?? "")
    return try await self.respond(context) {
      switch request.method {
      case .put:
        let body = try await Self.json(request)
        let response = try await self.server.registration.update(
          id, body, token: request.bearerToken, origin: context.origin, from: context.address)
        return try .json(RegistrationResponseJSON(response), headers: Self.headers)
      case .delete:
        try await self.server.registration.delete(id, token: request.bearerToken, from: context.origin)
        return Response(status: .noContent, headers: Self.headers)
      default:
        let response = try await self.server.registration.read(id, token: request.bearerToken, from: context.origin)
        return try .json(RegistrationResponseJSON(response), headers: Self.headers)
      }
    }
  }

  private static var headers: HTTPFields { [.cacheControl: "no-store", .pragma: "no-cache"] }

  /// Returns the body of a request whose media type is `application/json`.
  private static func json(_ request: Request) async throws -> [UInt8] {
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
    guard type?.split(whereSeparator: \.isWhitespace) == ["application/json"] else { throw HTTPError(.unsupportedMediaType) }
    return Array(try await request.wholeBody().readableBytesView)
  }

  private func respond(
    _ context: ServerRequestContext, _ respond: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await respond()
    } catch let error as RegistrationError {
      self.metrics.rejected(.registration, error.code)
      context.logger.notice("registration rejected", metadata: ["error": "\(error.code)", "reason": "\(error.reason)"])
      return try .json(error.response, headers: Self.headers)
    } catch let error as HTTPError {
      let description =
        switch error.status {
        case .unsupportedMediaType: "The Content-Type must be application/json."
        case .contentTooLarge: "The body is too large."
        default: "The body is incomplete."
        }
      self.metrics.rejected(.registration, .invalidClientMetadata)
      context.logger.notice(
        "registration rejected", metadata: ["error": "invalid_client_metadata", "reason": "\(description)"])
      return try Self.errorResponse(error.status, "invalid_client_metadata", description)
    }
  }

  private static func errorResponse(
    _ status: HTTPResponse.Status, _ error: String, _ description: String, headers: HTTPFields = [:]
  ) throws -> Response {
    var all = self.headers
    for field in headers { all.append(field) }
    return try .json(OAuthErrorJSON(error: OAuthErrorCode(error), description: description), status: status, headers: all)
  }
}

extension Request {
  /// The token of the Authorization field with the Bearer scheme (RFC 6750 §2.1).
  fileprivate var bearerToken: String? {
    guard let token = self.headers[.authorization].flatMap({ AuthorizationToken($0) }), token.scheme == .bearer else {
      return nil
    }
    return token.token.reveal()
  }
}
