import HTTPTypes
public import Hummingbird
import Logging
public import SallyportResource

/// Middleware that requires a valid access token for an API, and adds the token to the request context.
///
/// ```swift
/// import Hummingbird
/// import SallyportResource
///
/// func addRoutes(to router: Router<ResourceRequestContext>, of api: ResourceServer) {
///   router.group().add(middleware: RequireAccessToken(api, scope: "notes:read"))
///     .get("notes") { request, context in try "The notes of \(context.verifiedAccessToken.subject)" }
/// }
/// ```
///
/// Apply this middleware only once to each route, because a DPoP proof can be used only once. For additional
/// requirements of individual routes, use ``RequireScope``.
public struct RequireAccessToken<Context: AccessTokenRequestContext>: RouterMiddleware {
  private let api: ResourceServer
  private let requirement: AccessRequirement

  /// Creates middleware that applies a requirement.
  /// - Parameters:
  ///   - api: The API that verifies the tokens.
  ///   - requirement: What each request requires of its token.
  public init(_ api: ResourceServer, requiring requirement: AccessRequirement = AccessRequirement()) {
    self.api = api
    self.requirement = requirement
  }

  /// Creates middleware that requires a scope.
  /// - Parameters:
  ///   - api: The API that verifies the tokens.
  ///   - scope: The scope that each request requires.
  public init(_ api: ResourceServer, scope: Scope) {
    self.init(api, requiring: AccessRequirement(scope: scope))
  }

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let token: VerifiedAccessToken
    do {
      token = try await self.api.authorize(request.head, requiring: self.requirement)
    } catch {
      return Response(error, logger: context.logger)
    }
    var context = context
    context.accessToken = token
    var response = try await next(request, context)
    // The client uses this nonce in its next DPoP proof (RFC 9449 §8.2).
    if token.keyThumbprint != nil, let nonce = self.api.nextNonce { response.headers[.dpopNonce] = nonce }
    return response
  }
}

/// Middleware that requires more of the access token than ``RequireAccessToken``, which must run first.
public struct RequireScope<Context: AccessTokenRequestContext>: RouterMiddleware {
  private let api: ResourceServer
  private let requirement: AccessRequirement

  /// Creates middleware that applies an additional requirement.
  /// - Parameters:
  ///   - api: The API that verified the token.
  ///   - requirement: What each request requires of its token.
  public init(_ api: ResourceServer, _ requirement: AccessRequirement) {
    self.api = api
    self.requirement = requirement
  }

  /// Creates middleware that requires an additional scope.
  /// - Parameters:
  ///   - api: The API that verified the token.
  ///   - scope: The scope that each request requires.
  public init(_ api: ResourceServer, _ scope: Scope) {
    self.init(api, AccessRequirement(scope: scope))
  }

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let token = try context.verifiedAccessToken
    do throws(AccessError) {
      try self.api.require(self.requirement, of: token)
    } catch {
      return Response(error, logger: context.logger)
    }
    return try await next(request, context)
  }
}

extension Response {
  /// The response to a rejected request. A missing token is logged at debug level only, because it is part of normal
  /// operation.
  fileprivate init(_ error: AccessError, logger: Logger) {
    let level: Logger.Level = error.reason == .tokenMissing ? .debug : error.status == .serviceUnavailable ? .error : .notice
    logger.log(level: level, "request rejected", metadata: ["reason": "\(error.reason)"])
    self.init(status: error.status, headers: error.fields)
  }
}
