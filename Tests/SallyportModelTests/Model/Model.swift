/// A model of the server: a small state machine without a store, keys, or network. It follows RFC 6749 §4.1 and §6, RFC
/// 7009, RFC 9449, RFC 9700 §4.14, and the decisions of this project. Times are seconds since the history began.
struct Model: Sendable, Hashable {
  /// Lifetimes in seconds. They are short, so that histories can reach the expirations.
  enum Lifetimes {
    static let code = 60
    static let accessToken = 600
    static let refreshTokenIdle = 3_000
    static let grant = 7_000
    static let reuseInterval = 30
    static let interaction = 1_800
    static let sessionIdle = 12_000
    /// The server records the use of a session at most once in this time.
    static let sessionTouchInterval = sessionIdle / 10
    static let session = 50_000
    /// The maximum delay before a change by another process takes effect, rounded up to a full second.
    static let propagation = 1
  }

  /// The number of failed redemptions after which a code is no longer accepted.
  static let maximumFailures = 5

  struct Session: Hashable, Sendable {
    /// The number of the session. It stays the same if the user signs in again before the session was ended.
    var number: Int
    var seenAt: Int
    var expiresAt: Int
    /// When a sign-out or a new password ended the session. `nil` if neither did, even if the session has expired.
    var endedAt: Int?
  }

  struct Interaction: Hashable, Sendable {
    var request: Step
    var expiresAt: Int
    var isDecided = false
  }

  struct Grant: Hashable, Sendable {
    var client: Step.Client
    /// Whether the request included `offline_access`.
    var access: Step.Access
    var scope: String
    var resources: [String]
    var boundKey: Step.Key
    var session: Int
    var expiresAt: Int
    var revokedAt: Int?
    var revocationReason: String?
  }

  struct Code: Hashable, Sendable {
    var expiresAt: Int
    var consumedAt: Int?
    var failures = 0
  }

  /// A refresh token.
  struct Token: Hashable, Sendable {
    var expiresAt: Int
    var consumedAt: Int?
    /// Whether the successor is still stored for a client that lost the response.
    var keepsSuccessor = false
  }

  struct AccessToken: Hashable, Sendable {
    var expiresAt: Int
    var audience: [String]
    /// Whether the userinfo endpoint accepts the token.
    var isOpenID: Bool
    var key: Step.Key
    /// The number of times that the signing keys had been replaced when the token was signed.
    var keyReplacements: Int
  }

  var now = 0
  var session: Session?
  /// The number of sessions so far.
  var sessionCount = 0
  // All keys of type `Int` are numbers of grants.

  var interactions: [Int: Interaction] = [:]
  /// The grants in the store. The step `sweep` removes grants that have expired or were revoked.
  var grants: [Int: Grant] = [:]
  /// The codes in the store. The step `sweep` removes codes that expired without being redeemed.
  var codes: [Int: Code] = [:]
  /// The refresh tokens in the store. The step `sweep` removes expired tokens.
  var tokens: [TokenName: Token] = [:]
  /// The grants for which a code was issued, even if the code is no longer stored.
  var codesIssued: Set<Int> = []
  /// The number of refresh tokens that were issued for each grant.
  var tokensIssued: [Int: Int] = [:]
  /// All access tokens that were issued.
  var accessTokens: [AccessName: AccessToken] = [:]
  /// The number of access tokens that were issued for each grant.
  var accessTokensIssued: [Int: Int] = [:]
  var removedClients: Set<Step.Client> = []
  /// The number of times that the signing keys have been replaced.
  var keyReplacements = 0

  /// Replaces the relative names in a step: the key `.own` with the key of the grant, and the age of a token (0 for the
  /// newest token of the grant) with its number.
  /// - Returns: `nil` if the step cannot be run, for example because the token does not exist.
  func resolve(_ step: Step) -> Action? {
    var action = Action(step: step)
    if step.key == .own { action.step.key = self.grants[step.grant]?.boundKey ?? .none }
    switch step.verb {
    case .open: return self.interactions[step.grant] == nil && !self.removedClients.contains(step.client) ? action : nil
    case .consent: return self.interactions[step.grant] == nil ? nil : action
    case .redeem: return self.codesIssued.contains(step.grant) ? action : nil
    case .refresh, .revokeRefresh:
      let number = self.tokensIssued[step.grant, default: 0] - 1 - step.age
      action.token = TokenName(grant: step.grant, number: number)
      return number >= 0 ? action : nil
    case .revokeAccess:
      let number = self.accessTokensIssued[step.grant, default: 0] - 1 - step.age
      action.access = AccessName(grant: step.grant, number: number)
      return number >= 0 ? action : nil
    case .changePassword, .removeClient, .replaceKeys, .restart, .rotateKeys, .signIn, .signOut, .sweep, .wait: return action
    }
  }

  /// Applies a step and returns the expected response.
  mutating func apply(_ action: Action) -> ExpectedResponse {
    let step = action.step
    switch step.verb {
    case .open: return self.open(step)
    case .consent: return self.consent(to: step.grant)
    case .redeem: return self.redeem(step)
    // `resolve(_:)` has set the token of these three steps, so `?? .done` is never used.
    case .refresh: return action.token.map { self.refresh($0, step) } ?? .done
    case .revokeRefresh: return action.token.map { self.revoke($0, by: step.party) } ?? .done
    case .revokeAccess: return action.access.map { self.revoke($0, by: step.party) } ?? .done
    case .signIn: self.signIn()
    case .signOut: self.signOut()
    case .changePassword: self.changePassword()
    case .sweep: self.sweep()
    case .wait: self.now += step.seconds
    case .restart: break
    case .rotateKeys: self.now += Lifetimes.propagation
    case .replaceKeys:
      self.keyReplacements += 1
      self.now += Lifetimes.propagation
    case .removeClient: self.removeClient(step.client)
    }
    return .done
  }
}
