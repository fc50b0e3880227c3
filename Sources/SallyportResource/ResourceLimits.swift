/// Limits on what an API caches, and on how many introspection requests it sends at the same time.
public struct ResourceLimits: Sendable {
  /// The maximum number of verified tokens to cache, and the maximum number of introspection responses about active
  /// tokens to cache. A token whose claims take more than 8 KiB is not cached, but verified every time.
  public var cachedTokens = 10_000
  /// The maximum number of concurrent introspection requests. Beyond this limit, requests whose token needs
  /// introspection are rejected with status 503. If the API introspects signed tokens too, opaque tokens can use at
  /// most half of the limit, because anyone can make up opaque tokens.
  public var pendingIntrospections = 100

  /// The maximum size of a cached token's claims, in bytes.
  static let maximumCachedSize = 8 << 10

  /// Creates the default limits.
  public init() {}
}
