/// How much an API keeps, and how much it asks for at a time.
public struct ResourceLimits: Sendable {
  /// Verified tokens that are remembered; each takes 8 KiB at the most, and a larger one is verified again each time.
  public var cachedTokens = 10_000
  /// Questions to an issuer's introspection endpoint that are under way at a time; a request beyond is answered with 503.
  public var pendingIntrospections = 100

  /// Of a token's claims, in bytes.
  static let largestKept = 8 << 10

  public init() {}
}
