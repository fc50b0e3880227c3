import SallyportProtocol
import SallyportRemote

/// A trusted issuer with its cached keys and metadata.
struct IssuerAccess: Sendable {
  let issuer: Issuer
  /// The accepted signature algorithms, or `nil` for all supported asymmetric algorithms.
  let algorithms: Set<String>?
  let introspection: Introspection?
  private let keys: IssuerKeys

  /// How long a request waits for new metadata or keys if it can use old ones.
  static let patience: Duration = .seconds(2)

  init(_ trusted: TrustedIssuer, transport: any Transport, limits: ResourceLimits, now: @escaping TimeSource) {
    self.issuer = trusted.issuer
    self.algorithms = trusted.algorithms
    let metadata = IssuerMetadata(issuer: trusted.issuer, transport: transport, now: now)
    self.keys = IssuerKeys(trusted, metadata: metadata, transport: transport, now: now)
    self.introspection = trusted.introspection.map {
      Introspection($0, of: trusted.issuer, metadata: metadata, transport: transport, limits: limits, now: now)
    }
  }

  func key(id: String?, algorithm: String) async throws(AccessTokenError) -> VerificationKey {
    let cache: JWKSCache
    do {
      cache = try await self.keys.cache()
    } catch {
      throw .issuerUnreachable(self.issuer, error)
    }
    do {
      return try await cache.key(id: id, algorithm: algorithm)
    } catch .document(let error) {
      throw .issuerUnreachable(self.issuer, .keys(error))
    } catch {
      throw .key(error)
    }
  }
}

/// The issuer's key set, whose URL may come from the issuer's metadata.
private actor IssuerKeys {
  private let metadata: IssuerMetadata
  private let transport: any Transport
  private let now: TimeSource
  private let url: EndpointURL?
  private let maximumAge: Duration?
  private var cachedKeys: (url: EndpointURL, cache: JWKSCache)?

  init(_ trusted: TrustedIssuer, metadata: IssuerMetadata, transport: any Transport, now: @escaping TimeSource) {
    self.metadata = metadata
    self.transport = transport
    self.now = now
    self.url = trusted.jwksURI
    self.maximumAge = trusted.maximumKeyAge
  }

  func cache() async throws(IssuerError) -> JWKSCache {
    let url: EndpointURL
    if let configuredURL = self.url {
      url = configuredURL
    } else {
      guard let discoveredURL = try await self.metadata.current().jwksURI else { throw .endpointMissing }
      url = discoveredURL
    }
    if let cached = self.cachedKeys, cached.url == url { return cached.cache }
    // Without `retryInterval`, every invalid token would cause a fetch until the keys are loaded.
    let cache = JWKSCache(
      url: url, transport: self.transport, now: self.now, retryInterval: .seconds(1), maximumAge: self.maximumAge,
      patience: IssuerAccess.patience)
    self.cachedKeys = (url, cache)
    return cache
  }
}
