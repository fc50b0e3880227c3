extension OAuthClient {
  /// Restores the session that an earlier run left in the store, without network access.
  /// - Returns: `nil` if no user is signed in.
  /// - Throws: ``SessionError/store(_:)``
  public func restoreSession() async throws(SessionError) -> OAuthSession? {
    do {
      return try await self.tokenSets.load().map { OAuthSession(client: self, tokenSet: $0) }
    } catch {
      throw .store(error)
    }
  }
}
