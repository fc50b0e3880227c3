#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol

/// What an ``ObservableSession`` shows, read at one moment.
struct SessionSnapshot: Sendable {
  let tokenSetID: String
  let claims: IDTokenClaims?
  let expiration: Date?
  /// Why the user must sign in again, or `nil` if the session can be used.
  let requirement: SignInRequirement?
}

extension OAuthSession {
  func snapshot() -> SessionSnapshot {
    SessionSnapshot(
      tokenSetID: self.tokenSetID, claims: self.claims, expiration: self.expiration, requirement: self.signInRequirement)
  }
}
