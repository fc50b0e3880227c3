public import HTTPTypes
public import SallyportProtocol
public import SallyportRemote

/// An API that is protected by access tokens: an OAuth 2.0 resource server.
///
/// It verifies access tokens (RFC 9068, RFC 7662) and DPoP proofs (RFC 9449), creates challenges (RFC 6750, RFC 9470),
/// and publishes the API's metadata (RFC 9728).
///
/// ```swift
/// let api = try ResourceServer(
///   EndpointURL("https://api.example.com/notes"), trusting: [TrustedIssuer(Issuer("https://id.example.com"))],
///   transport: transport)
/// let token = try await api.authorize(request, requiring: AccessRequirement(scope: "notes:read"))
/// ```
///
/// Nothing is fetched before the first token arrives. Keys, verified tokens, and introspection responses are cached, so
/// that most requests need no network access. If an issuer cannot be reached, its cached keys remain in use.
public struct ResourceServer: Sendable {
  /// The API's identifier: the `resource` of token requests and the `aud` of tokens (RFC 8707).
  public let resource: EndpointURL
  /// The document that is published at ``metadataPath``.
  public let metadata: ProtectedResourceMetadata

  private let verifier: AccessTokenVerifier
  private let possession: PossessionCheck
  private let errors: AccessErrorBuilder
  private let leeway: Duration
  private let now: TimeSource

  /// Creates a resource server.
  /// - Parameters:
  ///   - resource: The API's URL as clients see it. The audiences of tokens are compared with this URL byte for byte.
  ///   - issuers: The issuers whose tokens are accepted. At most one of them can have an
  ///     introspection policy that includes opaque tokens.
  ///   - description: The descriptive part of the metadata.
  ///   - dpop: How tokens that are bound to a key are accepted.
  ///   - limits: Limits on caches and concurrent requests.
  ///   - leeway: The tolerated clock difference.
  ///   - transport: Sends the requests to the issuers.
  ///   - now: Returns the current time.
  /// - Throws: ``ResourceServerError``
  public init(
    _ resource: EndpointURL, trusting issuers: [TrustedIssuer], describedBy description: ResourceDescription = .init(),
    dpop: DPoPAcceptance = .init(), limits: ResourceLimits = .init(), leeway: Duration = .seconds(30),
    transport: some Transport, now: @escaping TimeSource = Timestamp.now
  ) throws(ResourceServerError) {
    guard !issuers.isEmpty else { throw .noIssuer }
    guard Set(issuers.map(\.issuer)).count == issuers.count else { throw .repeatedIssuer }
    guard issuers.count(where: { $0.introspection?.checksOpaqueTokens ?? false }) <= 1 else {
      throw .severalIntrospectingIssuers
    }
    self.resource = resource
    self.metadata = description.metadata(of: resource, issuers: issuers.map(\.issuer), dpop: dpop.demand)
    self.verifier = AccessTokenVerifier(
      issuers: issuers.map { IssuerAccess($0, transport: transport, limits: limits, now: now) }, identifier: resource.value,
      leeway: Double(leeway.milliseconds) / 1000, now: now, cache: SharedCache(capacity: limits.cachedTokens))
    let origin = "\(resource.components.scheme)://\(resource.authority)"
    self.possession = PossessionCheck(acceptance: dpop, origin: origin, leeway: leeway, now: now)
    self.errors = AccessErrorBuilder(metadataURL: WellKnown.protectedResource(of: resource), acceptance: dpop)
    self.leeway = leeway
    self.now = now
  }

  /// Verifies that a request's access token satisfies a requirement.
  /// - Parameters:
  ///   - request: The request, with the path as clients see it. The host of the request is ignored.
  ///   - requirement: What the request requires of its token.
  /// - Throws: ``AccessError``, which contains the response to send.
  public func authorize(
    _ request: HTTPRequest, requiring requirement: AccessRequirement = AccessRequirement()
  ) async throws(AccessError) -> VerifiedAccessToken {
    let presented: PresentedAccessToken
    do throws(AccessError.Reason) {
      presented = try Self.presentedToken(in: request)
    } catch {
      throw self.errors.error(error, scheme: nil, requirement: requirement)
    }
    let token: VerifiedAccessToken
    do throws(AccessError.Reason) {
      token = try await self.verified(presented.token)
      try await self.possession.check(presented, of: token, in: request)
    } catch {
      throw self.errors.error(error, scheme: presented.scheme, requirement: requirement)
    }
    try self.require(requirement, of: token)
    return token
  }

  /// Checks that a verified token satisfies a requirement, such as the additional requirement of a part of the API.
  /// - Throws: ``AccessError``
  public func require(_ requirement: AccessRequirement, of token: VerifiedAccessToken) throws(AccessError) {
    do throws(AccessError.Reason) {
      try self.check(token, requirement)
    } catch {
      // A client may request exactly the scope of the challenge, so the challenge must include the scope that is
      // already granted.
      var all = requirement
      all.scope = Scope([token.scope, requirement.scope])
      throw self.errors.error(error, scheme: token.keyThumbprint == nil ? .bearer : .dpop, requirement: all)
    }
  }

  /// The `DPoP-Nonce` for the response to a request with a proof (RFC 9449 §8.2), or `nil` if nonces are not used.
  public var nextNonce: String? { self.possession.acceptance.nonces?.current }

  private static func presentedToken(in request: HTTPRequest) throws(AccessError.Reason) -> PresentedAccessToken {
    let presented: PresentedAccessToken?
    do {
      presented = try PresentedAccessToken(request.headerFields, path: request.path)
    } catch {
      throw .request(error)
    }
    guard let presented else { throw .tokenMissing }
    return presented
  }

  private func verified(_ token: Secret<String>) async throws(AccessError.Reason) -> VerifiedAccessToken {
    do {
      return try await self.verifier.verify(token)
    } catch {
      throw .token(error)
    }
  }

  private func check(_ token: VerifiedAccessToken, _ requirement: AccessRequirement) throws(AccessError.Reason) {
    try requirement.checkScope(of: token)
    try requirement.checkAuthenticationContext(of: token)
    try requirement.checkAuthenticationTime(of: token, now: self.now(), leeway: self.leeway)
  }
}

/// Why a resource server's configuration is invalid.
public enum ResourceServerError: Error, Equatable, Sendable {
  case noIssuer
  case repeatedIssuer
  /// More than one issuer has an introspection policy that includes opaque tokens. An opaque token doesn't name its
  /// issuer, so the token could be sent to an issuer that didn't issue it.
  case severalIntrospectingIssuers
}
