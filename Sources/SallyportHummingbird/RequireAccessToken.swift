import HTTPTypes
public import Hummingbird
import Logging
public import SallyportResource

/// Lets requests through that carry an access token for this API, and puts it into their context.
///
///     router.group().add(middleware: RequireAccessToken(api, scope: "notes:read"))
///       .get("notes") { request, context in try await notes(of: context.verifiedAccessToken.subject) }
///
/// Once on the way to a route: a proof of possession counts only once. What single routes need besides is for ``RequireScope``.
public struct RequireAccessToken<Context: AccessTokenRequestContext>: RouterMiddleware {
  private let api: ResourceServer
  private let requirement: AccessRequirement

  public init(_ api: ResourceServer, requiring requirement: AccessRequirement = AccessRequirement()) {
    self.api = api
    self.requirement = requirement
  }

  /// - Parameter scope: what each request needs.
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
    if token.keyThumbprint != nil, let nonce = self.api.nextNonce { response.headers[.dpopNonce] = nonce }
    return response
  }
}

/// Lets requests through whose access token is good for more than what ``RequireAccessToken``, which has to come before, asked for.
public struct RequireScope<Context: AccessTokenRequestContext>: RouterMiddleware {
  private let api: ResourceServer
  private let requirement: AccessRequirement

  public init(_ api: ResourceServer, _ requirement: AccessRequirement) {
    self.api = api
    self.requirement = requirement
  }

  public init(_ api: ResourceServer, _ scope: Scope) {
    self.init(api, AccessRequirement(scope: scope))
  }

  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let token = try context.verifiedAccessToken
    do throws(AccessRefusal) {
      try self.api.require(self.requirement, of: token)
    } catch {
      return Response(error, logger: context.logger)
    }
    return try await next(request, context)
  }
}

extension Response {
  /// The answer to a request that was not let in. Whether somebody has no token yet is of no interest to the operator.
  fileprivate init(_ refusal: AccessRefusal, logger: Logger) {
    let level: Logger.Level = refusal.reason == .tokenMissing ? .debug : refusal.status == .serviceUnavailable ? .error : .notice
    logger.log(level: level, "request refused", metadata: ["reason": "\(refusal.reason)"])
    self.init(status: refusal.status, headers: refusal.fields)
  }
}
