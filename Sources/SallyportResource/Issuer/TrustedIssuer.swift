public import SallyportProtocol

/// An authorization server whose tokens an API takes.
public struct TrustedIssuer: Sendable {
  public let issuer: Issuer
  /// Where the issuer's keys are; found through its metadata (RFC 8414) where nil.
  public var jwksURI: EndpointURL?
  /// The signature algorithms that are taken; nil for every asymmetric one. `none` and the symmetric ones are never taken.
  public var algorithms: Set<String>?
  /// How to ask the issuer about tokens (RFC 7662); nil where signatures are enough.
  public var introspection: IntrospectionPolicy?

  public init(
    _ issuer: Issuer, jwksURI: EndpointURL? = nil, algorithms: Set<String>? = nil, introspection: IntrospectionPolicy? = nil
  ) {
    self.issuer = issuer
    self.jwksURI = jwksURI
    self.algorithms = algorithms
    self.introspection = introspection
  }
}

/// When and as whom an API asks an issuer about tokens, RFC 7662.
public struct IntrospectionPolicy: Sendable {
  public enum Occasion: Sendable {
    /// For tokens that are no JWTs. The signature of those that are is believed until they expire.
    case opaqueTokens
    /// For each token whose signature is good, so that a revocation is heard of within ``IntrospectionPolicy/cacheLifetime``.
    case everyToken
  }

  /// The API's own client identifier at the issuer.
  public var clientID: String
  public var clientSecret: Secret<String>
  public var occasion: Occasion
  /// Whether tokens that are no JWTs are asked about besides, with ``Occasion/everyToken``. Any stranger can make such questions
  /// cost something, and another issuer's opaque tokens are shown to this one.
  public var takesOpaqueTokens: Bool
  /// How long an answer is believed; zero for not at all. RFC 7662 §4: the price is that a revoked token works for so long.
  public var cacheLifetime: Duration
  /// Where to ask; found through the issuer's metadata where nil.
  public var endpoint: EndpointURL?

  public init(
    clientID: String, clientSecret: Secret<String>, for occasion: Occasion = .everyToken, takesOpaqueTokens: Bool = false,
    cacheLifetime: Duration = .seconds(10), endpoint: EndpointURL? = nil
  ) {
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.occasion = occasion
    self.takesOpaqueTokens = takesOpaqueTokens || occasion == .opaqueTokens
    self.cacheLifetime = cacheLifetime
    self.endpoint = endpoint
  }
}
