import SallyportProtocol
import SallyportRemote

extension OAuthSession {
  /// Ends the session: revokes the tokens if the server supports it (RFC 7009) and removes them from the store.
  ///
  /// The tokens are removed even if the revocation fails, because the user wants to be signed out on this device. If
  /// another process of the app has already removed the stored tokens, this function revokes the tokens that this
  /// session has in memory, because the other process may have failed to revoke them. If the task is canceled during
  /// the sign-out, this function removes the tokens and returns ``SignOutOutcome/notReached``, and the revocation
  /// continues in the background.
  /// - Returns: Whether the server revoked the tokens.
  /// - Throws: ``SessionError/store(_:)``, ``SessionError/readOnly`` if the session only reads stored tokens, or
  ///   ``SessionError/cancelled`` if the task is canceled before the sign-out begins.
  @discardableResult
  public func signOut() async throws(SessionError) -> SignOutOutcome {
    guard !self.isReadOnly else { throw .readOnly }
    let tokenSet = self.tokenSet
    let outcome = try await self.client.signOut()
    self.finish(.signedOut)
    if let outcome { return outcome }
    return await self.client.revoke(tokenSet)
  }
}

extension OAuthClient {
  /// Signs the current user out, as ``OAuthSession/signOut()`` does. Damaged tokens in the store are removed, but
  /// cannot be revoked.
  /// - Returns: Whether the server revoked the tokens, or `nil` if no user was signed in.
  /// - Throws: ``SessionError/store(_:)``, or ``SessionError/cancelled`` if the task is canceled before the sign-out
  ///   begins.
  @discardableResult
  public func signOut() async throws(SessionError) -> SignOutOutcome? {
    try await self.tokenSets.withLease { () throws(SessionError) -> SignOutOutcome? in
      do throws(TokenStoreError) {
        return try await self.revokeAndRemove()
      } catch {
        throw .store(error)
      }
    }
  }

  private func revokeAndRemove() async throws(TokenStoreError) -> SignOutOutcome? {
    let tokenSet: TokenSet?
    do {
      tokenSet = try await self.tokenSets.load()
    } catch .damaged {
      try await self.remove()
      return .notReached
    }
    guard let tokenSet else { return nil }
    let outcome = await self.revoke(tokenSet)
    try await self.remove()
    return outcome
  }

  /// Removes the stored tokens in a separate task, because the sign-out's task may be canceled, and some stores stop
  /// then.
  private func remove() async throws(TokenStoreError) {
    let result = await Task { () async -> Result<Void, TokenStoreError> in
      do throws(TokenStoreError) {
        return .success(try await self.tokenSets.remove())
      } catch {
        return .failure(error)
      }
    }.value
    try result.get()
  }

  /// Revokes the tokens. If the task is canceled, doesn't wait for the server any longer, but still sends the requests.
  fileprivate func revoke(_ tokenSet: TokenSet) async -> SignOutOutcome {
    await Task { await self.requestRevocation(of: tokenSet) }.valueUnlessCanceled ?? .notReached
  }

  /// Revokes the refresh token first: if a later request fails, only access tokens remain valid, and they expire on
  /// their own.
  private func requestRevocation(of tokenSet: TokenSet) async -> SignOutOutcome {
    let endpoint: RevocationEndpoint?
    do { endpoint = try await self.provider.revocation() } catch { return .notReached }
    guard let revocation = endpoint else { return .notOffered }
    var revoked = true
    if let refreshToken = tokenSet.refreshToken {
      revoked = await revocation.revoke(refreshToken, hint: .refreshToken)
    }
    for token in [tokenSet.accessToken] + tokenSet.targetTokens.values.map(\.value) {
      revoked = await revocation.revoke(token, hint: .accessToken) && revoked
    }
    return revoked ? .revoked : .notReached
  }
}

/// The result of a sign-out. In every case, the tokens have been removed from the store.
public enum SignOutOutcome: Equatable, Sendable {
  /// The server has revoked the tokens.
  case revoked
  /// The server has no revocation endpoint. The tokens remain valid until they expire.
  case notOffered
  /// The server could not be reached or did not confirm the revocation, or the stored tokens were damaged and could not
  /// be sent to the server.
  case notReached
}
