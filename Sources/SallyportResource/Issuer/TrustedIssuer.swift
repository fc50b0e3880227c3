public import SallyportProtocol

/// An authorization server whose tokens an API accepts.
public struct TrustedIssuer: Sendable {
  /// The issuer's identifier.
  public let issuer: Issuer
  /// The URL of the issuer's keys, or `nil` to find it in the issuer's metadata (RFC 8414).
  public var jwksURI: EndpointURL?
  /// The accepted signature algorithms, or `nil` for all supported asymmetric algorithms. `none` and symmetric
  /// algorithms are never accepted.
  public var algorithms: Set<String>?
  /// How to query the issuer about tokens (RFC 7662), or `nil` to rely on signatures only.
  public var introspection: IntrospectionPolicy?

  /// The age at which cached keys are no longer used if no new ones can be fetched, or `nil` for no limit. The API then
  /// returns 503. The minimum is one hour, because younger keys are not fetched again.
  public var maximumKeyAge: Duration?

  /// Creates a trusted issuer.
  /// - Parameters:
  ///   - issuer: The issuer's identifier.
  ///   - jwksURI: The URL of the issuer's keys, or `nil` to find it in the issuer's metadata.
  ///   - algorithms: The accepted signature algorithms, or `nil` for all supported asymmetric algorithms.
  ///   - introspection: How to query the issuer about tokens, or `nil` to rely on signatures only.
  ///   - maximumKeyAge: The age at which cached keys are no longer used if no new ones can be fetched, or `nil` for no
  ///     limit.
  public init(
    _ issuer: Issuer, jwksURI: EndpointURL? = nil, algorithms: Set<String>? = nil, introspection: IntrospectionPolicy? = nil,
    maximumKeyAge: Duration? = nil
  ) {
    self.issuer = issuer
    self.jwksURI = jwksURI
    self.algorithms = algorithms
    self.introspection = introspection
    self.maximumKeyAge = maximumKeyAge
  }
}

/// When an API queries an issuer about tokens, and with which credentials (RFC 7662).
public struct IntrospectionPolicy: Sendable {
  /// The tokens about which the API queries the issuer.
  public enum CheckedTokens: Sendable {
    /// Only tokens that are not JWTs. A JWT with a valid signature is accepted until it expires.
    case opaqueTokens
    /// Every JWT with a valid signature, so that revocations take effect within
    /// ``IntrospectionPolicy/cacheLifetime``. Tokens that are not JWTs are queried only if
    /// ``IntrospectionPolicy/includesOpaqueTokens`` is true, and are rejected otherwise.
    case everyToken
    /// Every JWT whose `iss` is the issuer, whatever its type. The API checks no signature: the introspection response
    /// alone decides, and its `aud` must contain the API's identifier. Use this for issuers whose access tokens do not
    /// have the type `at+jwt` of RFC 9068. Anyone can cause introspection requests. Tokens that are not JWTs are
    /// queried only if ``IntrospectionPolicy/includesOpaqueTokens`` is true, and are rejected otherwise.
    case everyTokenOfAnyType
  }

  /// The API's client identifier at the issuer.
  public var clientID: String
  /// The API's client secret at the issuer.
  public var clientSecret: Secret<String>
  /// The tokens about which the API queries the issuer.
  public var checkedTokens: CheckedTokens
  /// Whether to also query tokens that are not JWTs, if ``checkedTokens`` is not ``CheckedTokens/opaqueTokens``. If
  /// they are queried, anyone can cause introspection requests, and opaque tokens that other issuers issued are sent to
  /// this issuer.
  public var includesOpaqueTokens: Bool
  /// How long a response is cached, or zero to disable caching. A revoked token can continue to work for up to this
  /// time (RFC 7662 §4).
  public var cacheLifetime: Duration
  /// The introspection endpoint, or `nil` to find it in the issuer's metadata.
  public var endpoint: EndpointURL?

  /// Whether tokens that are not JWTs are queried.
  var checksOpaqueTokens: Bool { self.includesOpaqueTokens || self.checkedTokens == .opaqueTokens }

  /// Creates an introspection policy.
  /// - Parameters:
  ///   - clientID: The API's client identifier at the issuer.
  ///   - clientSecret: The API's client secret at the issuer.
  ///   - checkedTokens: The tokens that are checked.
  ///   - includesOpaqueTokens: Whether to check tokens that are not JWTs too.
  ///   - cacheLifetime: How long a response is cached, or zero to disable caching.
  ///   - endpoint: The introspection endpoint, or `nil` to find it in the issuer's metadata.
  public init(
    clientID: String, clientSecret: Secret<String>, for checkedTokens: CheckedTokens = .everyToken,
    includesOpaqueTokens: Bool = false,
    cacheLifetime: Duration = .seconds(10), endpoint: EndpointURL? = nil
  ) {
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.checkedTokens = checkedTokens
    self.includesOpaqueTokens = includesOpaqueTokens
    self.cacheLifetime = cacheLifetime
    self.endpoint = endpoint
  }
}
