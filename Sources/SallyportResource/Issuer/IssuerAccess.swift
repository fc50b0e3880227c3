import SallyportProtocol
import SallyportRemote

/// One trusted issuer with what was learned of it.
struct IssuerAccess: Sendable {
  let issuer: Issuer
  let algorithms: Set<String>?
  let introspection: Introspection?
  private let keys: IssuerKeys

  init(_ trusted: TrustedIssuer, transport: any Transport, limits: ResourceLimits, now: @escaping TimeSource) {
    self.issuer = trusted.issuer
    self.algorithms = trusted.algorithms
    let metadata = IssuerMetadata(issuer: trusted.issuer, transport: transport, now: now)
    self.keys = IssuerKeys(url: trusted.jwksURI, metadata: metadata, transport: transport, now: now)
    self.introspection = trusted.introspection.map {
      Introspection($0, metadata: metadata, transport: transport, limits: limits, now: now)
    }
  }

  func key(id: String?, algorithm: String) async throws(AccessTokenError) -> VerificationKey {
    let cache: JWKSCache
    do {
      cache = try await self.keys.cache()
    } catch {
      throw .issuerUnreachable(error)
    }
    do {
      return try await cache.key(id: id, algorithm: algorithm)
    } catch .document(let error) {
      throw .issuerUnreachable(.keys(error))
    } catch {
      throw .key(error)
    }
  }
}

/// The issuer's key set, whose address may have to be found first.
private actor IssuerKeys {
  private let metadata: IssuerMetadata
  private let transport: any Transport
  private let now: TimeSource
  private var known: JWKSCache?

  init(url: EndpointURL?, metadata: IssuerMetadata, transport: any Transport, now: @escaping TimeSource) {
    self.metadata = metadata
    self.transport = transport
    self.now = now
    self.known = url.map { JWKSCache(url: $0, transport: transport, now: now) }
  }

  func cache() async throws(IssuerTrouble) -> JWKSCache {
    if let known = self.known { return known }
    guard let url = try await self.metadata.current().jwksURI else { throw .endpointMissing }
    if let known = self.known { return known }
    let cache = JWKSCache(url: url, transport: self.transport, now: self.now)
    self.known = cache
    return cache
  }
}
