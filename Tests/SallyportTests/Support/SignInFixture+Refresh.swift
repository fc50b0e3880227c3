import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

extension SignInFixture {
  /// Makes the server rotate refresh tokens without a reuse interval. Any token other than the current one ends the
  /// grant.
  func rotateStrictly() {
    let state = Mutex((current: "refresh-1", count: 1, revoked: false))
    self.transport.on(SignInFixture.tokenURL) { request in
      let token = request.form?["refresh_token"]
      return .success(
        state.withLock { state in
          guard !state.revoked, token == state.current else {
            state.revoked = true
            return SignInFixture.error("invalid_grant")
          }
          state.count += 1
          state.current = "refresh-\(state.count)"
          return SignInFixture.tokens("access-\(state.count)", refresh: state.current)
        })
    }
  }

  var refreshRequests: [FakeTransport.RecordedRequest] {
    self.tokenRequests.filter { $0.form?["grant_type"] == "refresh_token" }
  }
}
