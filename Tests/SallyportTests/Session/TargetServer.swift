import Sallyport
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

/// A token endpoint that issues tokens for several APIs (RFC 8707 §2.2) and accepts each refresh token only once.
///
/// An access token consists of a name and a number, such as `billing.example-2`. The name is the part after the last
/// slash of the request's resource, audience, or first scope value. A slash at the end does not count. If the request
/// has none of these parameters, the name is `access`. The first refresh returns tokens with the number 2.
final class TargetServer: Sendable {
  private struct State {
    var number = 1
    var current = "refresh-1"
    var rejections: [String: TransportResponse] = [:]
    var narrowedScope: String?
  }

  private let state = Mutex(State())

  /// The error response to requests with this resource, audience, or scope. An empty string stands for requests without
  /// any of these parameters.
  subscript(rejecting target: String) -> TransportResponse? {
    get { self.state.withLock { $0.rejections[target] } }
    set { self.state.withLock { $0.rejections[target] = newValue } }
  }

  /// The `scope` of each response, or `nil` to omit it.
  var narrowedScope: String? {
    get { self.state.withLock { $0.narrowedScope } }
    set { self.state.withLock { $0.narrowedScope = newValue } }
  }

  /// Makes this server respond to the token requests on a transport.
  func serve(on transport: FakeTransport) {
    transport.on(SignInFixture.tokenURL) { .success(self.response(to: $0.form ?? FormParameters())) }
  }

  private func response(to form: FormParameters) -> TransportResponse {
    self.state.withLock { state in
      let target = form["resource"] ?? form["audience"] ?? form["scope"] ?? ""
      if let rejection = state.rejections[target] { return rejection }
      guard form["refresh_token"] == state.current else { return SignInFixture.error("invalid_grant") }
      state.number += 1
      state.current = "refresh-\(state.number)"
      let name = target.split(separator: "/").last.map(String.init) ?? "access"
      var response: JSONValue = [
        "access_token": .string("\(name.split(separator: " ")[0])-\(state.number)"), "token_type": "Bearer",
        "expires_in": 600, "refresh_token": .string(state.current),
      ]
      response["scope"] = state.narrowedScope.map { .string($0) }
      return .json(encoding: response)
    }
  }
}

extension TokenTarget {
  /// Returns the target for a token for one API.
  static func api(_ url: String) throws -> TokenTarget {
    TokenTarget(resources: [try ResourceIndicator(url)])
  }
}
