import Crypto
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

/// Asks an issuer about tokens, RFC 7662, and remembers its answers for a little while.
final class Introspection: Sendable {
  private struct State {
    var answers: BoundedCache<SHA256Digest, (answer: IntrospectionAnswer, at: Timestamp)>
    var pending = 0
  }

  private let policy: IntrospectionPolicy
  private let metadata: IssuerMetadata
  private let transport: any Transport
  private let now: TimeSource
  private let maximumPending: Int
  private let state: Mutex<State>

  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(5))

  var asksAboutEveryToken: Bool { self.policy.occasion == .everyToken }

  init(
    _ policy: IntrospectionPolicy, metadata: IssuerMetadata, transport: any Transport, limits: ResourceLimits,
    now: @escaping TimeSource
  ) {
    self.policy = policy
    self.metadata = metadata
    self.transport = transport
    self.now = now
    self.maximumPending = limits.pendingIntrospections
    self.state = Mutex(State(answers: BoundedCache(capacity: limits.cachedTokens)))
  }

  func answer(about token: Secret<String>, _ digest: SHA256Digest) async throws(AccessTokenError) -> IntrospectionAnswer {
    let now = self.now()
    if let known = self.state.withLock({ $0.answers.value(for: digest) }),
      (.zero..<self.policy.cacheLifetime).contains(now - known.at)
    {
      return known.answer
    }
    let answer: IntrospectionAnswer
    do {
      answer = try await self.ask(about: token)
    } catch {
      throw .issuerUnreachable(error)
    }
    self.state.withLock { $0.answers.insert((answer, now), for: digest) }
    return answer
  }

  private func ask(about token: Secret<String>) async throws(IssuerTrouble) -> IntrospectionAnswer {
    // Strangers' tokens lead here too: the issuer is not asked more at a time than it can bear.
    let isAllowed = self.state.withLock { state in
      guard state.pending < self.maximumPending else { return false }
      state.pending += 1
      return true
    }
    guard isAllowed else { throw .busy }
    defer { self.state.withLock { $0.pending -= 1 } }
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
