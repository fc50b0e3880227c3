import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

extension QuirkServer {
  /// Responds to a revocation request (RFC 7009).
  func revoke(_ request: HTTPRequest, _ form: FormParameters) -> TransportResponse {
    guard let token = form["token"] else { return self.failure(.missing(parameter: "token")) }
    let behavior = self.provider.revocation
    let isKnown = self.state.withLock { state in
      let grant = state.grants.values.first { !$0.isRevoked && ($0.accessToken == token || $0.refreshToken == token) }
      guard let grant else { return false }
      for number in state.grants.keys where behavior.endsAllGrants || number == grant.number {
        state.grants[number]?.isRevoked = true
      }
      return true
    }
    if !isKnown, let response = behavior.unknownToken { return self.failure(response) }
    return self.json([:])
  }

  /// Ends all grants, as if the user had removed the app from the account.
  package func revokeAllGrants() {
    self.state.withLock { state in
      for number in state.grants.keys { state.grants[number]?.isRevoked = true }
    }
  }

  /// The number of grants that have not been revoked.
  package var activeGrants: Int {
    self.state.withLock { $0.grants.values.count { !$0.isRevoked } }
  }
}
