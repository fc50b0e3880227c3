import Sallyport
import SallyportProtocol

/// An account's access token, as every command gets it.
enum AccessToken {
  /// - Parameters:
  ///   - refreshing: whether a token that is still good is replaced as well.
  ///   - alsoBound: whether one will do that is bound to a key, and so of no use to whoever has it alone.
  static func current(
    of account: Account, refreshing: Bool = false, alsoBound: Bool = false
  ) async throws -> (token: Secret<String>, session: Session) {
    do {
      guard let session = try await CommandEnvironment.client(for: account).restoreSession() else {
        throw CommandFailure.notSignedIn(account)
      }
      if !alsoBound, await session.isSenderConstrained { throw CommandFailure.boundToken }
      // A token that is still good is printed at once, without a network or another thread.
      if !refreshing, let token = try await session.accessTokenAtHand() { return (token, session) }
      let token = try await Interrupts.cancelling {
        do {
          if refreshing { try await session.refresh() }
          return try await session.accessToken()
        } catch {
          // A refresh that is under way is let finish: the server may have rotated the token already.
          await session.settle()
          throw error
        }
      }
      return (token, session)
    } catch let error as SessionError {
      throw CommandFailure(error)
    }
  }
}

extension CommandFailure {
  fileprivate static let boundToken = CommandFailure(
    .failed,
    "The token is bound to this installation's key (DPoP, RFC 9449) and of no use by itself. Send with `sallyport request`, or "
      + "run `sallyport login --no-dpop`; --json prints it all the same.")
}
