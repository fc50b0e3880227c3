import Crypto
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Queries an issuer about tokens (RFC 7662) and caches the responses for a short time.
final class Introspection: Sendable {
  private typealias CachedResponse = (response: IntrospectionResponse, at: Timestamp)

  private struct State {
    var active: BoundedCache<SHA256Digest, CachedResponse>
    /// Inactive tokens are cached separately, so that invalid tokens cannot displace valid ones.
    var inactive: BoundedCache<SHA256Digest, CachedResponse>
    /// The number of queries in progress.
    var pending = 0
    /// The number of queries in progress that are about opaque tokens.
    var pendingOpaque = 0
  }

  private let policy: IntrospectionPolicy
  private let issuer: Issuer
  private let metadata: IssuerMetadata
  private let transport: any Transport
  private let now: TimeSource
  private let maximumPending: Int
  /// The maximum number of concurrent queries about opaque tokens, which anyone can make up. If signed tokens are
  /// checked too, this is half of ``maximumPending``, so that made-up tokens cannot use up the other half.
  private let maximumPendingOpaque: Int
  private let state: Mutex<State>
  private let queries = SingleFlight<SHA256Digest, Result<IntrospectionResponse, IssuerError>>()

  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  var checksEveryToken: Bool { self.policy.checkedTokens == .everyToken }
  /// Whether the response alone decides, so that the API does not verify the tokens itself.
  var decidesAlone: Bool { self.policy.checkedTokens == .everyTokenOfAnyType }
  var checksOpaqueTokens: Bool { self.policy.checksOpaqueTokens }

  init(
    _ policy: IntrospectionPolicy, of issuer: Issuer, metadata: IssuerMetadata, transport: any Transport,
    limits: ResourceLimits, now: @escaping TimeSource
  ) {
    self.policy = policy
    self.issuer = issuer
    self.metadata = metadata
    self.transport = transport
    self.now = now
    self.maximumPending = limits.pendingIntrospections
    self.maximumPendingOpaque =
      policy.checkedTokens == .everyToken ? max(1, limits.pendingIntrospections / 2) : limits.pendingIntrospections
    self.state = Mutex(
      State(
        active: BoundedCache(capacity: limits.cachedTokens),
        inactive: BoundedCache(capacity: min(1000, limits.cachedTokens))))
  }

  /// Returns the issuer's response about a token, from the cache if it contains a recent response.
  /// - Parameters:
  ///   - digest: The SHA-256 hash of the token.
  ///   - isOpaque: False if the token is a JWT whose signature was verified; true for any other token, which anyone
  ///     could have made up.
  func response(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) async throws(AccessTokenError) -> IntrospectionResponse {
    if let cached = self.cachedResponse(for: digest) { return cached }
    guard let query = self.query(about: token, digest, isOpaque: isOpaque) else { throw .issuerUnreachable(self.issuer, .busy) }
    switch await query.value {
    case .success(let response): return response
    case .failure(let error): throw .issuerUnreachable(self.issuer, error)
    }
  }

  private func cachedResponse(for digest: SHA256Digest) -> IntrospectionResponse? {
    let now = self.now()
    guard let cached = self.state.withLock({ $0.active.value(for: digest) ?? $0.inactive.value(for: digest) }),
      (.zero..<self.policy.cacheLifetime).contains(now - cached.at)
    else { return nil }
    return cached.response
  }

  /// Joins the query about this token if one is in progress. Otherwise starts one. The transport's timeout limits how
  /// long a query takes.
  /// - Returns: `nil` if the maximum number of queries is in progress.
  private func query(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) -> Task<Result<IntrospectionResponse, IssuerError>, Never>? {
    self.state.withLock { state in
      if let query = self.queries.task(for: digest) { return query }
      // Anyone can send tokens, so the number of concurrent queries is limited to protect the issuer.
      guard state.pending < self.maximumPending, !isOpaque || state.pendingOpaque < self.maximumPendingOpaque else { return nil }
      state.pending += 1
      if isOpaque { state.pendingOpaque += 1 }
      return self.queries.start(digest) { await self.result(about: token, digest, isOpaque: isOpaque) }
    }
  }

  private func result(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) async -> Result<IntrospectionResponse, IssuerError> {
    // The age of the response is counted from before the request, so that it is not used for longer than the policy's
    // `cacheLifetime` after the issuer created it.
    let now = self.now()
    let result: Result<IntrospectionResponse, IssuerError>
    do throws(IssuerError) {
      result = .success(try await self.send(token))
    } catch {
      result = .failure(error)
    }
    self.state.withLock { state in
      state.pending -= 1
      if isOpaque { state.pendingOpaque -= 1 }
      guard case .success(let response) = result, response.payload.count <= ResourceLimits.maximumCachedSize else { return }
      state.active.remove(digest)
      state.inactive.remove(digest)
      if response.active {
        state.active.insert((response, now), for: digest)
      } else {
        state.inactive.insert((response, now), for: digest)
      }
    }
    return result
  }

  /// Sends an introspection request (RFC 7662 §2.1).
  private func send(_ token: Secret<String>) async throws(IssuerError) -> IntrospectionResponse {
    guard let endpoint = try await self.endpoint() else { throw .endpointMissing }
    var request = HTTPRequest.post(form: endpoint)
    request.headerFields[.authorization] = BasicAuthorization.value(
      clientID: self.policy.clientID, secret: self.policy.clientSecret)
    let form = FormParameters.encode([("token", token.reveal()), ("token_type_hint", "access_token")])
    do {
      let response = try await self.transport.send(request, body: Array(form.utf8), limits: Self.limits)
      try JSONDocument.check(response.head)
      guard let decoded = IntrospectionResponse(json: response.body) else { throw JSONDocumentError.malformed }
      return decoded
    } catch let error as TransportError {
      throw .introspection(.transport(error))
    } catch let error as JSONDocumentError {
      throw .introspection(error)
    } catch {
      // Only the two types of errors above are thrown.
      throw .introspection(.malformed)
    }
  }

  private func endpoint() async throws(IssuerError) -> EndpointURL? {
    if let endpoint = self.policy.endpoint { return endpoint }
    return try await self.metadata.current().introspectionEndpoint
  }
}
