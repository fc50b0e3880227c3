import Sallyport
import SallyportProtocol
import SallyportSystem

/// Provides an account's ID token to the commands.
enum IDToken {
  /// The minimum remaining lifetime, in seconds. An ID token that expires sooner is treated as expired.
  private static let minimumLifetime: Double = 60

  /// Returns the account's ID token. Refreshes the session if the token expires within ``minimumLifetime``.
  /// - Parameter refreshing: Whether to refresh a token that is still valid.
  /// - Returns: The ID token, and when it expires.
  static func current(
    of account: Account, refreshing: Bool = false
  ) async throws -> (token: Secret<String>, expiration: Timestamp) {
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      // An explicit refresh asks the server again, even if the server has already ended the session.
      if !refreshing { try await session.checkNotEndedByServer() }
      if !refreshing, let current = await self.validToken(session) { return current }
      guard await session.claims != nil else { throw CommandFailure.noIDToken(account, granted: await session.scope) }
      try await Interrupts.canceling {
        do {
          try await session.refresh()
        } catch {
          // Wait until a refresh in progress has stored its tokens. The server may already have replaced the refresh
          // token.
          await session.waitForRefresh()
          throw error
        }
      }
      guard let newToken = await self.validToken(session) else { throw CommandFailure.expiredIDToken(account) }
      return newToken
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
  }

  private static func validToken(_ session: OAuthSession) async -> (token: Secret<String>, expiration: Timestamp)? {
    guard let token = await session.idToken, let claims = await session.claims else { return nil }
    let expiration = Timestamp(claim: claims.expiration)
    return expiration > .now() + .seconds(self.minimumLifetime) ? (token, expiration) : nil
  }
}

extension CommandFailure {
  /// - Parameter granted: The scope of the session.
  static func noIDToken(_ account: Account, granted: Scope) -> CommandFailure {
    let supportsOpenID = (try? account.configuration).map { !$0.unsupportedScopes.contains(.openID) } ?? true
    let reason: String
    if !supportsOpenID {
      reason = "\(account.issuer) does not support OpenID Connect"
    } else if granted.contains(.openID) {
      reason = "\(account.issuer) issued none although it granted the scope \"openid\""
    } else if (account.scope ?? Arguments.defaultScope).contains(.openID) {
      reason = "\(account.issuer) did not grant the scope \"openid\""
    } else {
      return CommandFailure(
        .failed, "The account has no ID token, because the scope \"openid\" was not requested.",
        Self.signIn(account, for: StepUp(scope: .openID)))
    }
    return CommandFailure(
      .failed, "The account has no ID token, because \(reason).", "Use the access token, which `sallyport token` prints.")
  }

  fileprivate static func expiredIDToken(_ account: Account) -> CommandFailure {
    CommandFailure(
      .signInNeeded, "The ID token has expired, and the server does not issue a new one without a sign-in.", self.signIn(account))
  }
}
