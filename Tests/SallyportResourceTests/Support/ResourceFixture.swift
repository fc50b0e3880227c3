import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportResource
import TestSupport

/// An API at `https://api.example/notes` and an issuer that it trusts.
struct ResourceFixture: Sendable {
  let issuer: TestIssuer
  let transport = FakeTransport()
  let clock = TestClock()
  let resource = "https://api.example/notes"

  init() throws {
    var issuer = try TestIssuer()
    issuer.metadata.introspectionEndpoint = issuer.issuer.url(appending: "/introspect")
    self.issuer = issuer
    self.issuer.publish(on: self.transport)
  }

  var introspectionURL: String { self.issuer.issuer.url(appending: "/introspect") }

  func api(
    _ trusted: [TrustedIssuer]? = nil, dpop: DPoPAcceptance.Demand = .accepted, nonces: DPoPNonceSource? = nil,
    replays: (any DPoPReplayStore)? = nil, limits: ResourceLimits = .init()
  ) throws -> ResourceServer {
    try ResourceServer(
      EndpointURL(self.resource), trusting: trusted ?? [TrustedIssuer(self.issuer.issuer)],
      dpop: DPoPAcceptance(dpop, nonces: nonces, replays: replays ?? MemoryReplayStore(now: self.clock.source)), limits: limits,
      transport: self.transport, now: self.clock.source)
  }

  /// Returns the claims of a valid token that expires in five minutes, with some changes. `nil` removes a claim.
  func claims(_ changes: [String: JSONValue?] = [:]) -> JSONValue {
    let now = self.clock.now.seconds
    var claims: JSONValue = [
      "iss": .string(self.issuer.issuer.value), "sub": "ada", "aud": .string(self.resource), "exp": .integer(now + 300),
      "iat": .integer(now), "jti": "t-1", "client_id": "app", "scope": "notes:read notes:write",
    ]
    for (name, value) in changes { claims[name] = value }
    return claims
  }

  func token(
    _ changes: [String: JSONValue?] = [:], key: TestSigningKey? = nil, header: [String: JSONValue] = [:]
  ) throws -> String {
    try self.issuer.token(
      self.claims(changes), key: key, header: ["typ": "at+jwt"].merging(header) { _, new in new }
    ).reveal()
  }

  /// Returns a token that is bound to a key.
  func token(boundTo key: any DPoPKey) throws -> String {
    try self.token(["cnf": ["jkt": .string(key.publicKey.thumbprint)]])
  }

  func proof(
    by key: any DPoPKey, of token: String?, method: String = "GET", url: String? = nil, nonce: String? = nil,
    at time: Timestamp? = nil
  ) throws -> String {
    guard let target = DPoPTarget(method: method, url: url ?? self.resource) else { throw DPoPProofError.urlMismatch }
    return try DPoPProof.make(
      for: target, accessToken: token.map { Secret($0) }, nonce: nonce, at: time ?? self.clock.now, by: key
    ).reveal()
  }

  func request(_ fields: HTTPFields, path: String = "/notes") -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: path, headerFields: fields)
  }

  func bearer(_ token: String) -> HTTPRequest {
    self.request([.authorization: "Bearer \(token)"])
  }

  /// Returns a request with the DPoP scheme and these proofs.
  func bound(_ token: String, _ proofs: String...) -> HTTPRequest {
    var fields: HTTPFields = [.authorization: "DPoP \(token)"]
    fields[values: .dpop] = proofs
    return self.request(fields)
  }
}

extension ResourceServer {
  /// Returns the error of a rejected request, or `nil` if it is accepted.
  func error(
    of request: HTTPRequest, requiring requirement: AccessRequirement = AccessRequirement()
  ) async -> AccessError? {
    do {
      _ = try await self.authorize(request, requiring: requirement)
      return nil
    } catch {
      return error
    }
  }
}

extension AccessError {
  /// The response's challenges, parsed as a client would parse them.
  var challenges: [AuthenticationChallenge] { AuthenticationChallenge.challenges(of: self.fields) }
}
