extension Model {
  /// Redeems a code (RFC 6749 §4.1.3, RFC 7636 §4.6). A request counts as a failed redemption if it comes from the
  /// other client, or has a wrong redirect URI, or a wrong or missing verifier. Other errors do not count.
  mutating func redeem(_ step: Step) -> ExpectedResponse {
    let number = step.grant
    guard let client = self.interactions[number]?.request.client else { return .done }
    if step.party == .own, self.removedClients.contains(client) { return .refused("clientUnknown") }
    if step.party == .other, self.removedClients.contains(client.other) { return .refused("clientUnknown") }
    guard let code = self.codes[number], let grant = self.grants[number] else { return .refused("codeUnknown") }
    if step.party == .other { return self.countFailure(number, "codeOfAnotherClient") }
    let isUsed = code.consumedAt != nil
    if !isUsed, code.failures >= Self.maximumFailures { return .refused("codeExhausted") }
    if step.redirect == .wrong { return self.countFailure(number, "redirectMismatch") }
    if step.verifier == .none { return self.countFailure(number, "verifierMissing") }
    if step.verifier == .wrong { return self.countFailure(number, "verifierMismatch") }
    if !isUsed, self.now >= code.expiresAt { return .refused("codeExpired") }
    if grant.revokedAt != nil { return .refused("grantEnded") }
    // A replay is detected before the key is checked, so that even a replay with a wrong key revokes the grant: one of
    // the two requests may come from an attacker.
    if isUsed {
      self.revokeGrant(number, "codeReplayed")
      return .refused("codeReplayed")
    }
    let key = step.key
    if let rejection = self.checkKey(key, grant) { return rejection }
    guard let audience = Wire.audience(of: step, within: grant.resources) else { return .refused("resource(notAllowed)") }
    self.codes[number]?.consumedAt = self.now
    if client.isPublic, key != .none { self.grants[number]?.boundKey = key }
    var refresh: TokenName?
    if grant.access == .offline {
      refresh = TokenName(grant: number, number: 0)
      self.issue(TokenName(grant: number, number: 0), until: grant.expiresAt)
    }
    return self.issueAccessToken(of: number, refresh: refresh, scope: grant.scope, audience: audience, key: key)
  }

  private mutating func countFailure(_ number: Int, _ reason: String) -> ExpectedResponse {
    self.codes[number]?.failures += 1
    return .refused(reason)
  }

  /// Refreshes tokens (RFC 6749 §6), and rotates the refresh token (RFC 9700 §4.14.2).
  mutating func refresh(_ name: TokenName, _ step: Step) -> ExpectedResponse {
    guard let client = self.interactions[name.grant]?.request.client else { return .done }
    let sender = step.party == .own ? client : client.other
    if self.removedClients.contains(sender) { return .refused("clientUnknown") }
    guard let token = self.tokens[name], let grant = self.grants[name.grant] else { return .refused("refreshTokenUnknown") }
    if step.party == .other { return .refused("refreshTokenOfAnotherClient") }
    if grant.revokedAt != nil || self.now >= grant.expiresAt { return .refused("grantEnded") }
    if token.consumedAt == nil, self.now >= token.expiresAt { return .refused("refreshTokenExpired") }
    let key = step.key
    // RFC 9449 §5: the refresh tokens of a confidential client are bound to the client, and not to a key.
    if client.isPublic, let rejection = self.checkKey(key, grant) { return rejection }
    guard let scope = Wire.scope(of: step, within: grant.scope) else { return .refused("scopeExceedsGrant") }
    guard let audience = Wire.audience(of: step, within: grant.resources) else { return .refused("resource(notAllowed)") }
    if let consumedAt = token.consumedAt {
      guard token.keepsSuccessor, self.now < consumedAt + Lifetimes.reuseInterval else {
        self.revokeGrant(name.grant, "refreshTokenReused")
        return .refused("refreshTokenReused")
      }
    } else {
      self.tokens[name]?.consumedAt = self.now
      self.tokens[name]?.keepsSuccessor = true
      let predecessor = TokenName(grant: name.grant, number: name.number - 1)
      self.tokens[predecessor]?.keepsSuccessor = false
      self.issue(name.next, until: grant.expiresAt)
      if client.isPublic, key != .none { self.grants[name.grant]?.boundKey = key }
    }
    return self.issueAccessToken(of: name.grant, refresh: name.next, scope: scope, audience: audience, key: key)
  }

  /// Revokes the grant of a token. A request from the other client gets the same response, but revokes nothing, because
  /// an invalid token is not an error (RFC 7009 §2.2), and the token is invalid for that client.
  mutating func revoke(_ name: TokenName, by party: Step.Party) -> ExpectedResponse {
    self.revoke(grant: name.grant, by: party) { $0.tokens[name] != nil }
  }

  mutating func revoke(_ name: AccessName, by party: Step.Party) -> ExpectedResponse {
    self.revoke(grant: name.grant, by: party) { $0.isVerifiable(name) }
  }

  private mutating func revoke(grant number: Int, by party: Step.Party, where isKnown: (Model) -> Bool) -> ExpectedResponse {
    guard let client = self.interactions[number]?.request.client else { return .done }
    let sender = party == .own ? client : client.other
    if self.removedClients.contains(sender) { return .refused("clientUnknown") }
    if party == .own, isKnown(self) { self.revokeGrant(number, "clientRequest") }
    return .done
  }

  /// Whether an access token is valid.
  func isActive(_ name: AccessName) -> Bool {
    guard self.isVerifiable(name), let grant = self.grants[name.grant] else { return false }
    return grant.revokedAt == nil && self.now < grant.expiresAt
  }

  /// Whether the token has not expired, and the signing keys have not been replaced since it was signed.
  private func isVerifiable(_ name: AccessName) -> Bool {
    guard let token = self.accessTokens[name] else { return false }
    return self.now < token.expiresAt && token.keyReplacements == self.keyReplacements
  }

  private func checkKey(_ key: Step.Key, _ grant: Grant) -> ExpectedResponse? {
    if grant.boundKey == .none || grant.boundKey == key { return nil }
    return .refused(key == .none ? "proofMissing" : "boundToAnotherKey")
  }

  private mutating func issue(_ name: TokenName, until end: Int) {
    self.tokens[name] = Token(expiresAt: min(self.now + Lifetimes.refreshTokenIdle, end))
    self.tokensIssued[name.grant] = name.number + 1
  }

  /// Issues an access token, and returns the response with it.
  /// - Parameters:
  ///   - number: The number of the grant.
  ///   - refresh: The refresh token in the same response, or `nil` if it contains none.
  private mutating func issueAccessToken(
    of number: Int, refresh: TokenName?, scope: String, audience: [String], key: Step.Key
  ) -> ExpectedResponse {
    let access = AccessName(grant: number, number: self.accessTokensIssued[number, default: 0])
    let expiresAt = self.now + Lifetimes.accessToken
    self.accessTokensIssued[number] = access.number + 1
    self.accessTokens[access] = AccessToken(
      expiresAt: expiresAt, audience: audience, isOpenID: scope.contains("openid"), key: key,
      keyReplacements: self.keyReplacements)
    return .tokens(
      ExpectedResponse.Tokens(refresh: refresh, access: access, scope: scope, audience: audience, key: key, expiresAt: expiresAt))
  }
}
