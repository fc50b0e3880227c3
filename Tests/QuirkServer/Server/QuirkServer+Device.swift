import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

extension QuirkServer {
  /// Enters the code that the device shows, and then allows or denies the request, as a user would.
  /// - Returns: Whether the code is known.
  @discardableResult
  package func decide(_ userCode: String, allow: Bool = true) -> Bool {
    self.state.withLock { state in
      guard let code = state.devices.first(where: { $0.value.userCode == userCode })?.key else { return false }
      state.devices[code]?.decision = allow ? .allowed : .denied
      return true
    }
  }

  /// Responds to a device authorization request (RFC 8628 §3.1).
  func startDevice(_ request: HTTPRequest, _ form: FormParameters) -> TransportResponse {
    // Any `Authorization` field is accepted here, because the client is authenticated when it polls.
    guard form["client_id"] == self.provider.client.id || request.headerFields[.authorization] != nil else {
      return self.failure(.unknownClient)
    }
    for scope in self.provider.rejectedScopes where form.hasScope(scope[...]) { return self.failure(.invalidScope) }
    let (deviceCode, userCode) = (self.unique("device"), self.unique("WDJB"))
    self.state.withLock { $0.devices[deviceCode] = DeviceAttempt(request: form, userCode: userCode) }
    var prompt: JSONValue = [
      "device_code": .string(deviceCode), "user_code": .string(userCode), "verification_uri": "https://id.example/device",
      "expires_in": 900, "interval": 5,
    ]
    self.provider.changeDeviceResponse(&prompt)
    return self.json(prompt)
  }

  /// Responds to a poll: `authorization_pending` to the first and `slow_down` to the second. The response to a later
  /// poll depends on the user's decision, and is `authorization_pending` while there is none.
  func poll(_ request: HTTPRequest, _ form: FormParameters) throws(Rejection) -> TransportResponse {
    let secret = self.provider.client.deviceSecret ?? self.provider.client.secret
    try self.authenticate(request, form, secret)
    guard let code = form["device_code"] else { throw Rejection(.missing(parameter: "device_code")) }
    let attempt = self.state.withLock { state in
      state.devices[code]?.polls += 1
      return state.devices[code]
    }
    guard let attempt else { throw Rejection(.unknownDeviceCode) }
    if attempt.polls == 1 { throw Rejection(.pending) }
    if attempt.polls == 2 { throw Rejection(.slowDown) }
    switch attempt.decision {
    case .undecided: throw Rejection(.pending)
    case .denied: throw Rejection(.denied)
    case .allowed:
      self.state.withLock { $0.devices[code] = nil }
      return self.tokens(self.newGrant(for: attempt.request, secret), isRefresh: false)
    }
  }
}
