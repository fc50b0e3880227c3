extension OAuthClient {
  /// Restores the session that an earlier run left in the store, without network access.
  /// - Parameter readOnly: Whether the session only uses the tokens that other processes store. It then never sends a
  ///   refresh request, and never waits for another process that does. Pass `true` in a widget or an app extension,
  ///   which the system can end at any time, and which shares the store with the app. If the stored tokens have to be
  ///   refreshed, the session throws ``SessionError/readOnly``.
  /// - Returns: `nil` if no user is signed in.
  /// - Throws: ``SessionError/store(_:)``
  public func restoreSession(readOnly: Bool = false) async throws(SessionError) -> OAuthSession? {
    do {
      return try await self.tokenSets.load().map { OAuthSession(client: self, tokenSet: $0, isReadOnly: readOnly) }
    } catch {
      throw .store(error)
    }
  }
}
