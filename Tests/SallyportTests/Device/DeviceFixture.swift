import HTTPTypes
import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

/// A server that supports device authorization, and an app that signs in with a code that the user enters on another
/// device.
final class DeviceFixture: Sendable {
  static let deviceURL = "https://id.example/device_authorization"
  static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
  /// A valid response of the device authorization endpoint.
  static let response: JSONValue = [
    "device_code": "device-code-1", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example/device",
    "verification_uri_complete": "https://id.example/device?user_code=WDJB-MJHT", "expires_in": 1800, "interval": 5,
  ]

  let base: SignInFixture
  private let state = Mutex<(prompts: [DevicePrompt], waits: [Duration])>(([], []))

  init(change: (inout TestIssuer) -> Void = { _ in }) throws {
    self.base = try SignInFixture { server in
      server.metadata.deviceAuthorizationEndpoint = Self.deviceURL
      change(&server)
    }
    self.offer(Self.response)
  }

  var prompts: [DevicePrompt] { self.state.withLock { $0.prompts } }
  /// The time that the client waited before each poll. Empty if the test passed `sleep` to ``signIn(_:sleep:)``.
  var waits: [Duration] { self.state.withLock { $0.waits } }
  var polls: [FakeTransport.RecordedRequest] { self.base.tokenRequests }

  /// Makes the device authorization endpoint return this response.
  func offer(_ response: JSONValue, status: HTTPResponse.Status = .ok) {
    self.base.transport.on(Self.deviceURL, respond: .json(encoding: response, status: status))
  }

  /// Responds to the polls with these outcomes in this order, and to every later poll with tokens.
  /// - Parameter change: Changes the claims of the ID token.
  func respondToPolls(
    _ outcomes: [FakeTransport.Outcome], change: @escaping @Sendable (inout JSONValue) -> Void = { _ in }
  ) {
    let base = self.base
    base.transport.on(SignInFixture.tokenURL) { request in
      if request.index < outcomes.count { return outcomes[request.index] }
      var claims = base.server.claims(clientID: base.clientID, now: base.clock.now)
      change(&claims)
      return .success(SignInFixture.tokens("access-1", refresh: "refresh-1", idToken: try? base.server.token(claims)))
    }
  }

  /// Signs the app in: polls until the server returns tokens for the code that the user enters on another device.
  /// - Parameter sleep: Waits before a poll. If `nil`, the clock advances instead, and ``waits`` records the duration.
  func signIn(
    _ options: SignInOptions = SignInOptions(scopes: [.openID, .offlineAccess], timeout: .seconds(3600)),
    sleep: Sleeper? = nil
  ) async throws -> OAuthSession {
    let sleeper: Sleeper = { duration in
      self.state.withLock { $0.waits.append(duration) }
      self.base.clock.advance(by: duration)
    }
    return try await self.base.client().signInOnAnotherDevice(options, sleep: sleep ?? sleeper) { prompt in
      self.state.withLock { $0.prompts.append(prompt) }
    }
  }

  static func error(_ code: String, status: HTTPResponse.Status = .badRequest) -> FakeTransport.Outcome {
    .success(SignInFixture.error(code, status: status))
  }
  static let pending = DeviceFixture.error("authorization_pending")
}
