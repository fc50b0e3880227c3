public import Hummingbird
public import SallyportResource

/// A request context that contains the verified access token of the request.
public protocol AccessTokenRequestContext: RequestContext {
  /// The verified access token. Set by ``RequireAccessToken``; `nil` before it runs.
  var accessToken: VerifiedAccessToken? { get set }
}

extension AccessTokenRequestContext {
  /// The verified access token of a route that ``RequireAccessToken`` protects.
  /// - Throws: An error with status 500 if the route isn't protected, which is a programming error.
  public var verifiedAccessToken: VerifiedAccessToken {
    get throws {
      guard let token = self.accessToken else { throw HTTPError(.internalServerError) }
      return token
    }
  }
}

/// The basic request context for an API that is protected by access tokens.
public struct ResourceRequestContext: AccessTokenRequestContext {
  public var coreContext: CoreRequestContextStorage
  public var accessToken: VerifiedAccessToken?

  public init(source: ApplicationRequestContextSource) {
    self.coreContext = .init(source: source)
    self.accessToken = nil
  }
}
