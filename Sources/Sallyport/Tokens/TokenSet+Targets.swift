import SallyportProtocol
import SallyportRemote

extension TokenSet {
  /// The maximum number of targets whose tokens are kept. It limits the size of a stored session.
  ///
  /// A target names the APIs or the scope of an access token, if they are not those of the session's own token.
  static let maximumTargets = 16

  /// The token for a target, or `nil` if there is none.
  func token(for target: TokenTarget.Key) -> AccessToken? {
    guard target.isOwn else { return self.targetTokens[target] }
    return AccessToken(
      value: self.accessToken, scope: self.scope, type: self.tokenType, obtainedAt: self.obtainedAt, expiresAt: self.expiresAt)
  }

  /// Adds the access token of a response for a target other than ``TokenTarget/own``. If there are then more than
  /// ``maximumTargets`` such tokens, removes the oldest.
  mutating func add(_ response: TokenResponse, for target: TokenTarget, requestedAt: Timestamp) {
    self.hasUsedTargets = true
    self.targetTokens[target.key] = AccessToken(
      value: response.accessToken, scope: response.grantedScope ?? (target.scope.isEmpty ? self.scope : target.scope),
      type: response.type ?? .bearer, obtainedAt: requestedAt,
      expiresAt: response.expiresIn.map { requestedAt + .seconds($0) })
    let excess = self.targetTokens.sorted { $0.value.obtainedAt > $1.value.obtainedAt }.dropFirst(Self.maximumTargets)
    for (key, _) in excess { self.targetTokens[key] = nil }
  }

  mutating func removeExpiredTargetTokens(at now: Timestamp) {
    self.targetTokens = self.targetTokens.filter { $0.value.isValid(at: now) }
  }

  /// The APIs to name in the request for the target's token: the target's APIs or, if it has none, the sign-in's APIs.
  func resources(for target: TokenTarget) -> [ResourceIndicator] {
    target.resources.isEmpty ? self.resources : target.resources
  }

  /// The scope to request for a target. If it is empty, the request has no `scope` parameter.
  ///
  /// A session that has received tokens for other targets also sends its granted scope when it refreshes its own
  /// token, because some servers take an omitted scope to mean the scope of the last refresh
  /// (https://github.com/MicrosoftDocs/azure-docs/pull/67408). If the sign-in requested `offline_access`, every scope
  /// that is sent includes it, because otherwise the same servers return no refresh token.
  func requestedScope(for target: TokenTarget) -> Scope {
    let scope = target.key.isOwn && self.hasUsedTargets ? self.scope : target.scope
    return scope.isEmpty || !self.hasOfflineAccess ? scope : [scope, .offlineAccess]
  }

  /// The origins that may receive a token for the target (rule C-34). They are the first of these that exist:
  ///
  /// 1. The origins of the target's APIs, for which the server issued the token (RFC 8707 §2).
  /// 2. The target's ``TokenTarget/tokenOrigins``.
  /// 3. The origins of the sign-in's APIs, if the target names no APIs.
  /// 4. `others`, the origins that the client's configuration allows.
  func origins(for target: TokenTarget, otherwise others: Set<Origin>) -> Set<Origin> {
    let targetOrigins = Self.origins(target.resources)
    if !targetOrigins.isEmpty { return targetOrigins }
    if !target.tokenOrigins.isEmpty { return Set(target.tokenOrigins.map(Origin.init)) }
    // The target may still name APIs whose identifiers are not URLs. Its token is then not for the sign-in's APIs and
    // must not be sent to them.
    guard target.resources.isEmpty else { return others }
    let signInOrigins = Self.origins(self.resources)
    return signInOrigins.isEmpty ? others : signInOrigins
  }

  private static func origins(_ resources: [ResourceIndicator]) -> Set<Origin> {
    Set(resources.compactMap { try? EndpointURL($0.value) }.map(Origin.init))
  }
}

extension TokenResponse {
  /// The granted scope, or `nil` if the response omits it or it is empty.
  var grantedScope: Scope? {
    self.scope.flatMap { $0.isEmpty ? nil : $0 }
  }
}
