import Sallyport
import SallyportProtocol

/// Provides an account's ID token to the commands.
enum IDToken {
  /// The minimum remaining lifetime, in seconds. An ID token that expires sooner is replaced.
  private static let minimumLifetime: Double = 60

  /// - Parameter refreshing: Whether to refresh a token that is still valid.
  /// - Returns: The ID token, and when it expires.
  static func current(
    of account: Account, refreshing: Bool = false
  ) async throws -> (token: Secret<String>, expiration: Timestamp) {
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      if !refreshing { try await session.checkNotEndedByServer() }
      if !refreshing, let current = await self.validToken(session) { return current }
      guard await session.claims != nil else { throw CommandFailure.noIDToken(account, granted: await session.scope) }
      try await Interrupts.canceling {
        do {
          try await session.refresh()
        } catch {
          // Let a refresh in progress finish, because the server may already have rotated the refresh token.
          await session.waitForRefresh()
          throw error
        }
      }
      guard let new = await self.validToken(session) else { throw CommandFailure.expiredIDToken(account) }
      return new
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
  }

  private static func validToken(_ session: OAuthSession) async -> (token: Secret<String>, expiration: Timestamp)? {
    guard let token = await session.idToken, let claims = await session.claims else { return nil }
    let expiration = Timestamp(milliseconds: Int64(claims.expiration * 1000))
    return expiration > .now() + .seconds(self.minimumLifetime) ? (token, expiration) : nil
  }
}

extension CommandFailure {
  /// - Parameter granted: The scope of the session.
  static func noIDToken(_ account: Account, granted: Scope) -> CommandFailure {
    let supportsOpenID = (try? account.configuration).map { !$0.unsupportedScopes.contains(.openID) } ?? true
    guard supportsOpenID, !granted.contains(.openID) else {
      return CommandFailure(
        .failed, "The account has no ID token, because \(account.issuer) does not support OpenID Connect.",
        "Use the access token, which `sallyport token` prints.")
    }
    return CommandFailure(
      .failed, "The account has no ID token, because the scope \"openid\" was not granted.",
      Self.signIn(account, addingScope: .openID))
  }

  fileprivate static func expiredIDToken(_ account: Account) -> CommandFailure {
    CommandFailure(
      .signInNeeded, "The ID token has expired, and the server does not issue a new one without a sign-in.", self.signIn(account))
  }
}
