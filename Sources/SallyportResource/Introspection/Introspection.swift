import Crypto
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Queries an issuer about tokens (RFC 7662) and caches the responses for a short time.
final class Introspection: Sendable {
  private struct State {
    var answers: BoundedCache<SHA256Digest, (answer: IntrospectionAnswer, at: Timestamp)>
    /// Inactive tokens are cached separately, so that invalid tokens cannot displace valid ones.
    var refused: BoundedCache<SHA256Digest, (answer: IntrospectionAnswer, at: Timestamp)>
    var pending = 0
    var pendingOpaque = 0
    var questions: [SHA256Digest: Task<Result<IntrospectionAnswer, IssuerTrouble>, Never>] = [:]
  }

  private let policy: IntrospectionPolicy
  private let metadata: IssuerMetadata
  private let transport: any Transport
  private let now: TimeSource
  private let maximumPending: Int
  /// If signed tokens are checked too, half of the capacity is reserved for them.
  private let maximumPendingOpaque: Int
  private let state: Mutex<State>

  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  var asksAboutEveryToken: Bool { self.policy.occasion == .everyToken }
  var asksAboutOpaqueTokens: Bool { self.policy.takesOpaqueTokens }

  init(
    _ policy: IntrospectionPolicy, metadata: IssuerMetadata, transport: any Transport, limits: ResourceLimits,
    now: @escaping TimeSource
  ) {
    self.policy = policy
    self.metadata = metadata
    self.transport = transport
    self.now = now
    self.maximumPending = limits.pendingIntrospections
    self.maximumPendingOpaque =
      policy.occasion == .everyToken ? max(1, limits.pendingIntrospections / 2) : limits.pendingIntrospections
    self.state = Mutex(
      State(
        answers: BoundedCache(capacity: limits.cachedTokens),
        refused: BoundedCache(capacity: min(1000, limits.cachedTokens))))
  }

  func answer(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) async throws(AccessTokenError) -> IntrospectionAnswer {
    if let known = self.known(digest) { return known }
    guard let question = self.question(about: token, digest, isOpaque: isOpaque) else { throw .issuerUnreachable(.busy) }
    switch await question.value {
    case .success(let answer): return answer
    case .failure(let error): throw .issuerUnreachable(error)
    }
  }

  private func known(_ digest: SHA256Digest) -> IntrospectionAnswer? {
    let now = self.now()
    guard let known = self.state.withLock({ $0.answers.value(for: digest) ?? $0.refused.value(for: digest) }),
      (.zero..<self.policy.cacheLifetime).contains(now - known.at)
    else { return nil }
    return known.answer
  }

  /// Joins the query for the token that is in progress, or starts one. Returns `nil` if the maximum number is in
  /// progress.
  ///
  /// All waiting callers share the query, so canceling one of them doesn't cancel it. The transport's limits end it.
  private func question(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) -> Task<Result<IntrospectionAnswer, IssuerTrouble>, Never>? {
    self.state.withLock { state in
      if let question = state.questions[digest] { return question }
      // Anyone can send tokens, so the number of concurrent queries is limited to protect the issuer.
      guard state.pending < self.maximumPending, !isOpaque || state.pendingOpaque < self.maximumPendingOpaque else { return nil }
      state.pending += 1
      if isOpaque { state.pendingOpaque += 1 }
      let question = Task { await self.result(about: token, digest, isOpaque: isOpaque) }
      state.questions[digest] = question
      return question
    }
  }

  private func result(
    about token: Secret<String>, _ digest: SHA256Digest, isOpaque: Bool
  ) async -> Result<IntrospectionAnswer, IssuerTrouble> {
    let now = self.now()
    let result: Result<IntrospectionAnswer, IssuerTrouble>
    do throws(IssuerTrouble) {
      result = .success(try await self.ask(about: token))
    } catch {
      result = .failure(error)
    }
    self.state.withLock { state in
      state.questions[digest] = nil
      state.pending -= 1
      if isOpaque { state.pendingOpaque -= 1 }
      guard case .success(let answer) = result, answer.payload.count <= ResourceLimits.largestKept else { return }
      state.answers.remove(digest)
      state.refused.remove(digest)
      if answer.active {
        state.answers.insert((answer, now), for: digest)
      } else {
        state.refused.insert((answer, now), for: digest)
      }
    }
    return result
  }

  private func ask(about token: Secret<String>) async throws(IssuerTrouble) -> IntrospectionAnswer {
    guard let endpoint = try await self.endpoint() else { throw .endpointMissing }
    var request = HTTPRequest.post(form: endpoint)
    request.headerFields[.authorization] = BasicAuthorization.value(
      clientID: self.policy.clientID, secret: self.policy.clientSecret)
    let form = FormParameters.encode([("token", token.reveal()), ("token_type_hint", "access_token")])
    do {
      let response = try await self.transport.send(request, body: Array(form.utf8), limits: Self.limits)
      try JSONDocument.check(response.head)
      guard let answer = IntrospectionAnswer(json: response.body) else { throw JSONDocumentError.malformed }
      return answer
    } catch let error as TransportError {
      throw .introspection(.transport(error))
    } catch let error as JSONDocumentError {
      throw .introspection(error)
    } catch {
      throw .introspection(.malformed)
    }
  }

  private func endpoint() async throws(IssuerTrouble) -> EndpointURL? {
    if let endpoint = self.policy.endpoint { return endpoint }
    return try await self.metadata.current().introspectionEndpoint
  }
}
