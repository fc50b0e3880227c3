/// Limits on what an API caches and how many requests it sends.
public struct ResourceLimits: Sendable {
  /// The maximum number of verified tokens to cache, and of introspection responses. The claims of each take at most 8
  /// KiB. Tokens with more claims are verified every time.
  public var cachedTokens = 10_000
  /// The maximum number of concurrent introspection requests. Beyond this limit, requests are rejected with status 503.
  public var pendingIntrospections = 100

  /// The maximum size of a cached token's claims, in bytes.
  static let maximumCachedSize = 8 << 10

  /// Creates the default limits.
  public init() {}
}
