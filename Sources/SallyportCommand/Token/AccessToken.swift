import Sallyport
import SallyportProtocol

/// Provides an account's access token to the commands.
enum AccessToken {
  /// - Parameters:
  ///   - refreshing: Whether to refresh a token that is still valid.
  ///   - allowingBoundToken: Whether to return even a token that is bound to a key and cannot be used without a proof.
  ///     Otherwise, such a token is an error.
  static func current(
    of account: Account, refreshing: Bool = false, allowingBoundToken: Bool = false
  ) async throws -> (token: Secret<String>, session: OAuthSession) {
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      if !allowingBoundToken, await session.isSenderConstrained { throw CommandFailure.boundToken }
      // Return a valid token immediately, without network access or another thread.
      if !refreshing, let token = try await session.usableAccessToken() { return (token, session) }
      let token = try await Interrupts.cancelling {
        do {
          if refreshing { try await session.refresh() }
          return try await session.anyAccessToken()
        } catch {
          // Let a refresh in progress finish, because the server may already have rotated the refresh token.
          await session.waitForRefresh()
          throw error
        }
      }
      return (token, session)
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
  }

  /// Provides a token for another API or scope.
  static func current(
    of account: Account, for target: TokenTarget, allowingBoundToken: Bool
  ) async throws -> Sallyport.AccessToken {
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      return try await Interrupts.cancelling {
        do {
          return allowingBoundToken ? try await session.anyAccessToken(for: target) : try await session.accessToken(for: target)
        } catch {
          await session.waitForRefresh()
          throw error
        }
      }
    } catch let error as SessionError {
      throw CommandFailure(error, account)
    }
  }
}

extension CommandFailure {
  static let boundToken = CommandFailure(
    .failed, "The token is bound to this installation's key (DPoP, RFC 9449) and cannot be used without a proof.",
    "Use `sallyport request`, or run `sallyport login --no-dpop`. Use --json to print the token anyway.")
}
