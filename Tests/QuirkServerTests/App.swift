#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import QuirkServer
import Sallyport
import SallyportProtocol
import SallyportRemote
import SallyportTesting
import TestSupport

/// An app that signs in at a provider with the SDK.
struct App {
  let scenario: Scenario
  let server: QuirkServer
  let client: OAuthClient
  let clock: TestClock
  let store: MemoryTokenStore

  /// - Parameters:
  ///   - secret: The client secret, or `nil` for the secret of the scenario.
  ///   - other: An app whose server, store, and clock this app uses, or `nil` for new ones.
  init(_ scenario: Scenario, secret: ClientSecret? = nil, sharing other: App? = nil) throws {
    let clock = other?.clock ?? TestClock(.now())
    self.scenario = scenario
    self.clock = clock
    self.store = other?.store ?? MemoryTokenStore()
    self.server = try other?.server ?? QuirkServer(scenario.provider, now: clock.source)
    let api = try EndpointURL(scenario.provider.api.url)
    self.client = OAuthClient(
      server: scenario.server, clientID: scenario.provider.client.id, store: self.store, transport: self.server,
      tokenOrigins: [api], clientSecret: secret ?? scenario.secret.map { .insecureShared($0) }, now: clock.dates)
  }

  var user: QuirkUser {
    QuirkUser(transport: self.server, redirectURI: self.scenario.provider.client.redirectURIs[0])
  }

  func signIn(_ options: SignInOptions? = nil) async throws -> OAuthSession {
    let (options, user) = (options ?? SignInOptions(scopes: self.scenario.scope), self.user)
    return try await self.client.signIn(options, via: user, receiver: user)
  }

  /// Signs in on another device. The user allows or denies the request as soon as the code is shown. The pauses between
  /// polls advance the test clock.
  func signInOnAnotherDevice(allow: Bool = true) async throws -> OAuthSession {
    let (server, clock) = (self.server, self.clock)
    return try await self.client.signInOnAnotherDevice(
      SignInOptions(scopes: self.scenario.scope), sleep: { clock.advance(by: $0) }
    ) { prompt in
      server.decide(prompt.userCode, allow: allow)
    }
  }

  /// Requests information about the user with the session's token as a bearer token, and returns the status of the
  /// response.
  func callAPI(_ session: OAuthSession) async throws -> Int {
    let behavior = self.scenario.provider.api
    let url = try EndpointURL(behavior.url)
    var request = HTTPRequest.get(url)
    request.method = HTTPRequest.Method(behavior.method) ?? .get
    request.headerFields[.authorization] = "Bearer \(try await session.accessToken().reveal())"
    return try await self.server.send(request, body: [], limits: TransferLimits()).head.status.code
  }
}
