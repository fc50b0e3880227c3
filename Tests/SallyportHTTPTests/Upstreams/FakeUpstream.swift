import Foundation
import HTTPTestSupport
import HTTPTypes
import Logging
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

/// An upstream, which is an OpenID provider through which users sign in to the server. Tests control what its token
/// endpoint returns, and what its ID tokens contain.
final class FakeUpstream: Sendable {
  /// What the provider returns for a code.
  struct Behavior: Sendable {
    /// Claims that replace the claims of a valid ID token, or remove them with null.
    var claims: [String: JSONValue] = [:]
    /// The key that signs the ID token; nil for the provider's own key.
    var key: TestSigningKey?
    /// The whole response of the token endpoint; nil for a valid one.
    var response: FakeTransport.Outcome?
    /// The claims of the userinfo endpoint; nil if it returns an error.
    var userinfo: JSONValue?
  }

  static let clientID = "sallyport"
  static let secret = "a secret of the test provider"

  let id: String
  let issuer: TestIssuer
  let transport: FakeTransport
  let behavior = Mutex(Behavior())

  init(_ id: String = "corp", on transport: FakeTransport, issuer: String = "https://login.corp.example") throws {
    self.id = id
    self.issuer = try TestIssuer(issuer)
    self.transport = transport
    self.issuer.publish(on: transport)
  }

  /// The endpoint to which browsers are sent.
  var authorizationEndpoint: String { self.issuer.issuer.url(appending: "/authorize") }
  var tokenEndpoint: String { self.issuer.issuer.url(appending: "/token") }

  func change(_ body: (inout Behavior) -> Void) {
    self.behavior.withLock { behavior in
      var changed = behavior
      body(&changed)
      behavior = changed
    }
  }

  /// Adds the provider to a server.
  func register(at site: Site, _ change: (inout UpstreamRecord) -> Void = { _ in }) async throws {
    let secret = try UpstreamSecrets(site.fixture.masterKey).seal(Secret(Self.secret), of: self.id)
    var record = UpstreamRecord(
      id: self.id, name: "Corp Login", issuer: self.issuer.issuer.value, clientID: Self.clientID, sealedSecret: secret,
      createdAt: site.fixture.clock.now)
    change(&record)
    try await Upstreams(store: site.fixture.store, now: site.fixture.clock.source).add(record)
    site.fixture.server.cache.invalidate()
    let clock = site.fixture.clock
    self.transport.on(self.tokenEndpoint) { request in self.respond(to: request, at: clock.now) }
    self.transport.on(self.issuer.issuer.url(appending: "/userinfo")) { _ in
      guard let claims = self.behavior.withLock({ $0.userinfo }) else { return .success(.json("{}", status: .forbidden)) }
      return .success(.json(encoding: claims))
    }
  }

  /// Signs the user in at the provider: returns the URL to which the provider sends the browser.
  /// - Parameters:
  ///   - request: The server's redirect to the provider.
  ///   - changes: Parameters that replace those of a valid response, or remove them with nil.
  func signIn(_ request: Reply, changing changes: [String: String?] = [:]) throws -> String {
    #expect(request.status == .seeOther && request.location?.hasPrefix(self.authorizationEndpoint + "?") == true)
    let parameters = request.parameters
    // The code contains the nonce, so that the token endpoint needs no state.
    var response: [String: String] = [
      "code": "code-\(try #require(parameters["nonce"]))", "state": try #require(parameters["state"]),
      "iss": self.issuer.issuer.value,
    ]
    for (name, value) in changes { response[name] = value }
    return try #require(parameters["redirect_uri"]) + "?"
      + FormParameters.encode(response.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }

  private func respond(to request: FakeTransport.RecordedRequest, at now: Timestamp) -> FakeTransport.Outcome {
    let behavior = self.behavior.withLock { $0 }
    if let response = behavior.response { return response }
    let nonce = request.form?["code"]?.dropFirst("code-".count)
    var claims = self.issuer.claims(clientID: Self.clientID, subject: "subject-1", nonce: nonce.map { String($0) }, now: now)
    for (name, value) in behavior.claims { claims[name] = value == .null ? nil : value }
    guard let token = try? self.issuer.token(claims, key: behavior.key) else { return .failure(.timedOut) }
    return .success(
      .json(encoding: ["access_token": "upstream-access-token", "token_type": "Bearer", "id_token": token.reveal()]))
  }
}

extension TestBrowser {
  /// Presses the button of a provider on a sign-in page, and returns the redirect to the provider.
  func begin(_ upstream: FakeUpstream, on page: Reply) async throws -> Reply {
    let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
    return try await self.post(action, [("csrf", csrf), ("upstream", upstream.id)])
  }

  /// Signs in through a provider.
  func signIn(through upstream: FakeUpstream, on page: Reply) async throws -> Reply {
    try await self.open(try upstream.signIn(try await self.begin(upstream, on: page)))
  }

  /// Signs in through a provider for an authorization request.
  func signIn(through upstream: FakeUpstream) async throws -> Reply {
    try await self.signIn(through: upstream, on: try await self.authorize(AuthorizeParameters()))
  }

  /// Posts a form with which users connect or disconnect providers on the account page.
  func postProviders(_ fields: [(name: String, value: String)]) async throws -> Reply {
    let csrf = try #require(try await self.open("/account").accountCSRF)
    return try await self.post("/account/providers", [("csrf", csrf)] + fields)
  }

  /// Connects an identity on the account page.
  func connect(_ upstream: FakeUpstream) async throws -> Reply {
    let redirect = try await self.postProviders([("action", "connect-provider"), ("upstream", upstream.id)])
    return try await self.open(try upstream.signIn(redirect))
  }
}

/// Runs `body` on a server with one provider.
func withUpstream(
  change: @escaping @Sendable (inout UpstreamRecord) -> Void = { _ in }, logger: Logger? = nil,
  configure: @Sendable (inout SallyportServer.ServerConfiguration) -> Void = { _ in },
  _ body: @escaping @Sendable (Site, FakeUpstream) async throws -> Void
) async throws {
  let transport = FakeTransport()
  try await withSite(operatorTransport: transport, logger: logger, configure: configure) { site in
    let upstream = try FakeUpstream(on: transport)
    try await upstream.register(at: site, change)
    try await body(site, upstream)
  }
}
