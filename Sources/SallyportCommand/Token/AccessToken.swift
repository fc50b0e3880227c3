import Sallyport
import SallyportProtocol
import SallyportSystem

/// Provides an account's access token to the commands.
enum AccessToken {
  /// Returns the account's own access token (not one for another API or scope), and the session that the token belongs
  /// to.
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
      if !allowingBoundToken, await session.isSenderConstrained { throw CommandFailure.boundToken(account) }
      // Return a valid token immediately, without network access.
      if !refreshing {
        try await session.checkNotEndedByServer()
        if let token = try await session.usableAccessToken() { return (token, session) }
      }
      let token = try await Interrupts.canceling {
        do {
          if refreshing { try await session.refresh() }
          let token = try await session.anyAccessToken()
          try await session.checkNotEndedByServer()
          return token
        } catch {
          // Wait until a refresh in progress has stored its tokens. The server may already have replaced the refresh
          // token.
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
      try await session.checkNotEndedByServer()
      return try await Interrupts.canceling {
        do {
          return allowingBoundToken ? try await session.anyAccessToken(for: target) : try await session.accessToken(for: target)
        } catch {
          await session.waitForRefresh()
          throw error
        }
      }
    } catch let error as SessionError {
      throw CommandFailure(error, account, for: target)
    }
  }
}

extension CommandFailure {
  /// Describes why there is no token for a target. If the server rejects the target's API or scope, the advice is a
  /// sign-in that requests this API or scope.
  fileprivate init(_ error: SessionError, _ account: Account, for target: TokenTarget) {
    guard case .refused(let errorResponse) = error, [.invalidScope, .invalidTarget].contains(errorResponse.code) else {
      self.init(error, account)
      return
    }
    let failure = CommandFailure(errorResponse, account)
    let resource = target.resources.first.map { "Run `\(ShellWords.login.adding("--resource", $0.value))`." }
    let advice = errorResponse.code == .invalidTarget ? resource : Self.signIn(account, for: StepUp(scope: target.scope))
    self.init(.failed, failure.description, advice ?? failure.advice, serverError: errorResponse.code)
  }
}

extension CommandFailure {
  static func boundToken(_ account: Account?) -> CommandFailure {
    CommandFailure(
      .failed, "The token is bound to this installation's key (DPoP, RFC 9449) and cannot be used without a proof.",
      "Use `sallyport request`, or run `\(self.login(account).adding("--no-dpop"))`. To print the token anyway, use `token --json`."
    )
  }
}
