import SallyportProtocol

extension Session {
  /// Ends the session: revokes the tokens where the server can (RFC 7009) and removes them from the store.
  ///
  /// The tokens are removed even where they could not be revoked, since the person wants to be signed out here.
  /// - Returns: whether the server knows of it.
  /// - Throws: ``SessionError/store(_:)``
  @discardableResult
  public func signOut() async throws(SessionError) -> SignOutOutcome {
    let outcome = try await self.client.signOut()
    self.finish(.signedOut)
    return outcome ?? .revoked
  }
}

extension OAuthClient {
  /// Signs out whoever is signed in here, as ``Session/signOut()`` does; also where what is stored cannot be read any more.
  /// - Returns: whether the server knows of it; nil where nobody was signed in.
  /// - Throws: ``SessionError/store(_:)``
  @discardableResult
  public func signOut() async throws(SessionError) -> SignOutOutcome? {
    do {
      return try await self.grants.withLease { try await self.revokeAndRemove() }
    } catch {
      throw SessionError(any: error)
    }
  }

  private func revokeAndRemove() async throws(TokenStoreError) -> SignOutOutcome? {
    let grant: Grant?
    do {
      grant = try await self.grants.load()
    } catch .damaged {
      try await self.grants.remove()
      return .notReached
    }
    guard let grant else { return nil }
    let outcome = await self.revoke(grant)
    try await self.grants.remove()
    return outcome
  }

  /// The refresh token first, since the access token dies by itself.
  private func revoke(_ grant: Grant) async -> SignOutOutcome {
    let known: RevocationEndpoint?
    do { known = try await self.provider.revocation() } catch { return .notReached }
    guard let revocation = known else { return .notOffered }
    var revoked = true
    if let refreshToken = grant.refreshToken {
      revoked = await revocation.revoke(refreshToken, hint: .refreshToken)
    }
    return await revocation.revoke(grant.accessToken, hint: .accessToken) && revoked ? .revoked : .notReached
  }
}

/// What a sign-out has come to. The tokens are gone from the store in every case.
public enum SignOutOutcome: Equatable, Sendable {
  /// The server does not take the tokens any more.
  case revoked
  /// The server has no revocation endpoint; the tokens die with their life time.
  case notOffered
  /// The server could not be reached or did not confirm.
  case notReached
}
