public import Hummingbird
public import SallyportResource

/// A request context that holds the access token by which the request was let in.
public protocol AccessTokenRequestContext: RequestContext {
  /// Set by ``RequireAccessToken``; nil before it ran.
  var accessToken: VerifiedAccessToken? { get set }
}

extension AccessTokenRequestContext {
  /// The token of a route that ``RequireAccessToken`` protects.
  /// - Throws: an error that is answered with 500 where it does not: a mistake in the program, which lets nobody in.
  public var verifiedAccessToken: VerifiedAccessToken {
    get throws {
      guard let token = self.accessToken else { throw HTTPError(.internalServerError) }
      return token
    }
  }
}

/// The plain context of an API whose requests carry access tokens.
public struct ResourceRequestContext: AccessTokenRequestContext {
  public var coreContext: CoreRequestContextStorage
  public var accessToken: VerifiedAccessToken?

  public init(source: ApplicationRequestContextSource) {
    self.coreContext = .init(source: source)
    self.accessToken = nil
  }
}
