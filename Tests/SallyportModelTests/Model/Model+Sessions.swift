extension Model {
  mutating func signIn() {
    // If the user signs in again before the session was ended, even after it expired, the session keeps its number, and
    // its grants remain.
    let current = self.session.flatMap { $0.endedAt == nil ? $0 : nil }
    if current == nil { self.sessionCount += 1 }
    self.session = Session(
      number: current?.number ?? self.sessionCount, seenAt: self.now, expiresAt: self.now + Lifetimes.session)
  }

  mutating func signOut() {
    guard let session, session.endedAt == nil else { return }
    self.session?.endedAt = self.now
    // OpenID Connect Back-Channel Logout §2.7: grants with offline_access remain.
    for (number, grant) in self.grants where grant.session == session.number && grant.access == .online {
      self.revokeGrant(number, "signedOut")
    }
  }

  mutating func changePassword() {
    if self.session?.endedAt == nil { self.session?.endedAt = self.now }
    for grant in self.grants.keys { self.revokeGrant(grant, "passwordChanged") }
  }

  /// Opens an authorization request. The server seals the request in the URL of the interaction instead of storing it,
  /// so a sweep does not remove it.
  mutating func open(_ step: Step) -> ExpectedResponse {
    self.interactions[step.grant] = Interaction(request: step, expiresAt: self.now + Lifetimes.interaction)
    return .done
  }

  mutating func consent(to number: Int) -> ExpectedResponse {
    guard let interaction = self.interactions[number] else { return .done }
    let request = interaction.request
    // The last use of the session is updated even if the request is then rejected.
    let session = self.seenSession()
    guard self.now < interaction.expiresAt else { return .refused("interactionExpired") }
    guard !self.removedClients.contains(request.client) else { return .refused("clientUnknown") }
    guard let session else { return .refused("signedOut") }
    guard !interaction.isDecided else { return .refused("interactionDone") }
    self.interactions[number]?.isDecided = true
    // Without a refresh token, the grant lasts only as long as its code and access token can be valid.
    let lifetime = request.access == .offline ? Lifetimes.grant : Lifetimes.code + Lifetimes.accessToken
    self.grants[number] = Grant(
      client: request.client, access: request.access, scope: Wire.scope(of: request), resources: Wire.resources(of: request),
      boundKey: request.key, session: session.number, expiresAt: self.now + lifetime)
    self.codes[number] = Code(expiresAt: self.now + Lifetimes.code)
    self.codesIssued.insert(number)
    return .code
  }

  /// Returns the session if it is valid, and updates its last use at most once per `sessionTouchInterval`.
  private mutating func seenSession() -> Session? {
    guard let session, session.endedAt == nil, self.now < session.expiresAt, self.now < session.seenAt + Lifetimes.sessionIdle
    else {
      return nil
    }
    if self.now - session.seenAt > Lifetimes.sessionTouchInterval { self.session?.seenAt = self.now }
    return session
  }

  mutating func removeClient(_ client: Step.Client) {
    self.removedClients.insert(client)
    for (number, grant) in self.grants where grant.client == client { self.forget(number) }
    self.now += Lifetimes.propagation
  }

  mutating func revokeGrant(_ number: Int, _ reason: String) {
    guard self.grants[number]?.revokedAt == nil else { return }
    self.grants[number]?.revokedAt = self.now
    self.grants[number]?.revocationReason = reason
    for name in self.tokens.keys where name.grant == number { self.tokens[name]?.keepsSuccessor = false }
  }

  /// Removes a grant with its code and tokens.
  mutating func forget(_ number: Int) {
    self.grants[number] = nil
    self.codes[number] = nil
    for name in self.tokens.keys where name.grant == number { self.tokens[name] = nil }
  }

  /// Removes expired and revoked data. Requests with this data are rejected before and after the removal, but with
  /// different errors.
  mutating func sweep() {
    if let session, session.expiresAt < self.now || (session.endedAt ?? self.now) < self.now { self.session = nil }
    for number in self.grants.keys { self.endAbandoned(number) }
    for (number, code) in self.codes where code.consumedAt == nil && code.expiresAt < self.now { self.codes[number] = nil }
    for (name, token) in self.tokens where token.expiresAt < self.now { self.tokens[name] = nil }
    for (number, grant) in self.grants where grant.expiresAt < self.now || (grant.revokedAt ?? self.now) < self.now {
      self.forget(number)
    }
  }

  /// If the last usable code or refresh token of a grant has expired, sets the expiration of the grant to that of the
  /// code or token.
  private mutating func endAbandoned(_ number: Int) {
    let tokens = self.tokens.filter { $0.key.grant == number }
    let live = tokens.values.first { $0.consumedAt == nil }?.expiresAt
    let code = tokens.isEmpty ? self.codes[number].flatMap { $0.consumedAt == nil ? $0.expiresAt : nil } : nil
    guard let end = live ?? code, end < self.now, let grant = self.grants[number] else { return }
    self.grants[number]?.expiresAt = min(grant.expiresAt, end)
  }
}
