public import HTTPTypes
public import SallyportProtocol
public import SallyportRemote

/// An API that is protected by access tokens, RFC 6749's resource server: verifies what requests bring along (RFC 9068, RFC 9449,
/// RFC 7662), says what is missing (RFC 6750, RFC 9470), and publishes who may issue its tokens (RFC 9728).
///
///     let api = try ResourceServer(
///       EndpointURL("https://api.example.com/notes"), trusting: [TrustedIssuer(Issuer("https://id.example.com"))], transport: transport)
///     let token = try await api.authorize(request, requiring: AccessRequirement(scope: "notes:read"))
///
/// Nothing is fetched before the first token comes. Keys and verified tokens are kept, so a request normally costs no question to
/// anybody; while an issuer cannot be reached, the keys that are there go on being used.
public struct ResourceServer: Sendable {
  /// The API's identifier: what `resource` of a token request names, and `aud` of its tokens (RFC 8707).
  public let resource: EndpointURL
  /// The document that ``metadataPath`` publishes.
  public let metadata: ProtectedResourceMetadata

  private let verifier: AccessTokenVerifier
  private let possession: PossessionCheck
  private let challenger: Challenger
  private let leeway: Duration
  private let now: TimeSource

  /// - Parameters:
  ///   - resource: the API's URL as clients know it, which is compared by its text.
  ///   - issuers: whose tokens are taken. At the most one of them may be asked about opaque tokens.
  ///   - description: what the metadata say besides.
  ///   - leeway: how far two clocks may differ.
  /// - Throws: ``ResourceServerError``
  public init(
    _ resource: EndpointURL, trusting issuers: [TrustedIssuer], describedBy description: ResourceDescription = .init(),
    dpop: DPoPAcceptance = .init(), limits: ResourceLimits = .init(), leeway: Duration = .seconds(30),
    transport: some Transport, now: @escaping TimeSource = Timestamp.now
  ) throws(ResourceServerError) {
    guard !issuers.isEmpty else { throw .noIssuer }
    guard Set(issuers.map(\.issuer)).count == issuers.count else { throw .repeatedIssuer }
    guard issuers.count(where: { $0.introspection != nil }) <= 1 else { throw .severalIntrospectingIssuers }
    self.resource = resource
    self.metadata = description.metadata(of: resource, issuers: issuers.map(\.issuer), dpop: dpop.demand)
    self.verifier = AccessTokenVerifier(
      issuers: issuers.map { IssuerAccess($0, transport: transport, limits: limits, now: now) }, identifier: resource.value,
      leeway: Double(leeway.milliseconds) / 1000, now: now, cache: VerifiedTokenCache(capacity: limits.cachedTokens))
    let origin = "\(resource.components.scheme)://\(resource.authority)"
    self.possession = PossessionCheck(acceptance: dpop, origin: origin, leeway: leeway, now: now)
    self.challenger = Challenger(metadataURL: WellKnown.protectedResource(of: resource), acceptance: dpop)
    self.leeway = leeway
    self.now = now
  }

  /// Lets a request in whose token is good for what it needs.
  /// - Parameter request: with the path under which the API is known outside; its host does not matter.
  /// - Throws: ``AccessRefusal``, which is the answer to the request.
  public func authorize(
    _ request: HTTPRequest, requiring requirement: AccessRequirement = AccessRequirement()
  ) async throws(AccessRefusal) -> VerifiedAccessToken {
    let presented: PresentedAccessToken
    do throws(AccessRefusal.Reason) {
      presented = try Self.presented(by: request)
    } catch {
      throw self.challenger.refusal(error, scheme: nil, requirement: requirement)
    }
    do throws(AccessRefusal.Reason) {
      let token = try await self.verified(presented.token)
      try await self.possession.check(presented, of: token, in: request)
      try self.check(token, requirement)
      return token
    } catch {
      throw self.challenger.refusal(error, scheme: presented.scheme, requirement: requirement)
    }
  }

  /// Checks what a part of the API needs beyond what let the request in.
  /// - Throws: ``AccessRefusal``
  public func require(_ requirement: AccessRequirement, of token: VerifiedAccessToken) throws(AccessRefusal) {
    do throws(AccessRefusal.Reason) {
      try self.check(token, requirement)
    } catch {
      // Clients ask for exactly what is named: what the token is good for already has to be among it.
      var all = requirement
      all.scope = Scope([token.scope, requirement.scope])
      throw self.challenger.refusal(error, scheme: token.keyThumbprint == nil ? .bearer : .dpop, requirement: all)
    }
  }

  /// `DPoP-Nonce` for the answer to a request with a proof, RFC 9449 §8.2; nil where no nonces are asked for.
  public var nextNonce: String? { self.possession.acceptance.nonces?.current }

  private static func presented(by request: HTTPRequest) throws(AccessRefusal.Reason) -> PresentedAccessToken {
    let presented: PresentedAccessToken?
    do {
      presented = try PresentedAccessToken(request.headerFields, path: request.path)
    } catch {
      throw .request(error)
    }
    guard let presented else { throw .tokenMissing }
    return presented
  }

  private func verified(_ token: Secret<String>) async throws(AccessRefusal.Reason) -> VerifiedAccessToken {
    do {
      return try await self.verifier.verify(token)
    } catch {
      throw .token(error)
    }
  }

  private func check(_ token: VerifiedAccessToken, _ requirement: AccessRequirement) throws(AccessRefusal.Reason) {
    try requirement.checkScope(of: token)
    try requirement.checkAuthenticationContext(of: token)
    try requirement.checkAuthenticationTime(of: token, now: self.now(), leeway: self.leeway)
  }
}

/// Why there is no such API.
public enum ResourceServerError: Error, Equatable, Sendable {
  case noIssuer
  case repeatedIssuer
  /// Opaque tokens would have to be shown to issuers that have not issued them.
  case severalIntrospectingIssuers
}
