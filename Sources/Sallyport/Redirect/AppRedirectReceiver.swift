#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol
public import SallyportRemote
import Synchronization

/// Receives the redirect through the app itself: the operating system opens the app with the callback URL, and the app
/// passes it on.
///
/// Use it for private-use schemes (RFC 8252 §7.1) and claimed `https` URIs (§7.2). Any program can open such a URL, so
/// only a URL that matches the sign-in ends the wait.
///
/// ```swift
/// let receiver = AppRedirectReceiver(redirectURI: redirectURI)
/// // Where the platform delivers a URL:
/// if !receiver.deliver(url) { session = try await client.resume(from: url) }
/// ```
public final class AppRedirectReceiver: RedirectReceiver {
  private typealias Wait = (
    accepts: @Sendable (String) -> Bool, continuation: CheckedContinuation<Secret<String>, any Error>
  )

  private struct State {
    var lastNumber = 0
    var waits: [Int: Wait] = [:]
    /// The numbers of waits that were canceled before they were added to `waits`, or after they were removed from it.
    var canceled: Set<Int> = []
  }

  /// The redirect URI as registered.
  public let redirectURI: RedirectURI
  private let state = Mutex(State())

  /// Creates a receiver.
  /// - Parameter redirectURI: The redirect URI as registered, with a private-use scheme or claimed `https`.
  public init(redirectURI: RedirectURI) {
    self.redirectURI = redirectURI
  }

  /// Passes on a URL that the operating system opened the app with.
  /// - Parameter callbackURL: The URL, as the system delivers it.
  /// - Returns: Whether a sign-in of this process was waiting for the URL. If not, the URL may belong to an earlier
  ///   sign-in; see ``OAuthClient/resume(from:)``.
  @discardableResult
  public func deliver(_ callbackURL: URL) -> Bool {
    self.deliver(callbackURL.absoluteString)
  }

  /// Passes on the text of a URL, which need not be valid.
  package func deliver(_ callbackURL: String) -> Bool {
    let accepted = self.state.withLock { state in
      let wait = state.waits.first { $0.value.accepts(callbackURL) }
      return wait.flatMap { state.waits.removeValue(forKey: $0.key) }
    }
    accepted?.continuation.resume(returning: Secret(callbackURL))
    return accepted != nil
  }

  public func withRedirect<R: Sendable>(
    for server: ServerConfiguration, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    try self.redirectURI.checkReachesApp()
    return try await body(BoundRedirect(redirectURI: self.redirectURI) { try await self.wait($0) })
  }

  public func withRedirect<R: Sendable>(
    at redirectURI: RedirectURI, _ body: @Sendable (BoundRedirect) async throws -> R
  ) async throws -> R {
    guard redirectURI == self.redirectURI else {
      throw RedirectReceiverError.cannotBind(reason: "the receiver has a different redirect URI")
    }
    return try await body(BoundRedirect(redirectURI: self.redirectURI) { try await self.wait($0) })
  }

  private func wait(_ accepts: @escaping @Sendable (String) -> Bool) async throws -> ReceivedRedirect {
    let number = self.state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    // If the task is canceled after the URL was accepted, `onCancel` adds the number to `canceled`. Remove it here.
    defer { self.state.withLock { _ = $0.canceled.remove(number) } }
    let callbackURL = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCanceled = self.state.withLock { state in
          if state.canceled.remove(number) != nil { return true }
          state.waits[number] = (accepts, continuation)
          return false
        }
        if isCanceled { continuation.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      let wait = self.state.withLock { state in
        let wait = state.waits.removeValue(forKey: number)
        if wait == nil { state.canceled.insert(number) }
        return wait
      }
      wait?.continuation.resume(throwing: CancellationError())
    }
    // The app is in the foreground again, so the browser needs no last page, which would ask the user to return to the
    // app.
    return ReceivedRedirect(callbackURL: callbackURL) { _ in }
  }
}
