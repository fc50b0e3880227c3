#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Observation
public import SallyportProtocol

/// The session of an app's user, for SwiftUI and other code on the main actor that observes it.
///
/// ```swift
/// @MainActor
/// func signIn(_ account: ObservableSession, via browser: some UserAgent & RedirectReceiver) async {
///   await account.signIn { client throws(SignInError) in
///     try await client.signIn(scopes: [.openID, .offlineAccess], via: browser, receiver: browser)
///   }
///   if let explanation = account.explanation { print(explanation) }
/// }
/// ```
///
/// In a view, call ``follow(checkingEvery:)`` from the `task` modifier. The function restores the session, and keeps
/// the properties current until the view disappears. Call ``refreshState()`` when the app becomes active.
@MainActor
@Observable
public final class ObservableSession {
  /// Whether a user is signed in.
  public enum State: Equatable, Sendable {
    /// The store has not been read yet.
    case restoring
    /// No user is signed in.
    case signedOut
    /// A user is signed in.
    case signedIn
    /// The user must sign in again.
    case signInRequired(SignInRequirement)
  }

  /// The client that signs users in.
  public let client: OAuthClient
  /// Whether a user is signed in.
  public private(set) var state = State.restoring
  /// Whether a sign-in is in progress.
  public private(set) var isSigningIn = false
  /// The session, or `nil` if no user is signed in.
  public private(set) var session: OAuthSession?
  /// The claims of the last verified ID token, or `nil` if no user is signed in or the session has no ID token.
  public private(set) var claims: IDTokenClaims?
  /// When the access token expires, or `nil` if this is unknown or no user is signed in.
  public private(set) var expiration: Date?
  /// The error of the last failure: a ``SignInError`` or a ``SessionError``. A later successful sign-in or sign-out
  /// clears this property, and so does a sign-in that the user or the app canceled. If reading the store failed, the
  /// next successful read clears this property too.
  public private(set) var error: (any Error)?
  /// What ``error`` means, for developers and logs.
  public private(set) var explanation: ErrorExplanation?

  /// The number of calls to ``signIn(_:)`` that have not returned yet.
  @ObservationIgnored private var runningSignIns = 0
  /// The ID of the token set of the last session that ended. The store may still contain this token set, which
  /// ``refreshState()`` must not restore.
  @ObservationIgnored private var endedTokenSetID: String?
  /// Whether ``error`` was caused by reading the store. If so, the next successful read clears ``error``.
  @ObservationIgnored private var isErrorOfStore = false
  /// The continuations that end the current waits of ``follow(checkingEvery:)``.
  @ObservationIgnored private var wakeUps: [Int: AsyncStream<Void>.Continuation] = [:]
  @ObservationIgnored private var nextWakeUp = 0

  /// Creates an object in the state ``State/restoring``.
  /// - Parameter client: The client of the app.
  public init(client: OAuthClient) {
    self.client = client
  }

  /// Signs a user in with any function of the client.
  ///
  /// If the sign-in fails, the state stays as it is, and ``error`` says why.
  /// - Parameter body: Calls a function of the client that signs in.
  public func signIn(_ body: @MainActor (OAuthClient) async throws(SignInError) -> OAuthSession) async {
    self.runningSignIns += 1
    self.isSigningIn = true
    defer {
      self.runningSignIns -= 1
      self.isSigningIn = self.runningSignIns > 0
    }
    do {
      let session = try await body(self.client)
      self.clearError()
      await self.publish(session)
    } catch .cancelled, .dismissed {
      self.clearError()
    } catch {
      self.report(error, error.explanation)
    }
  }

  /// Signs the user out, as ``OAuthSession/signOut()`` does. If the tokens cannot be removed, the state stays as it is,
  /// and ``error`` says why.
  /// - Returns: Whether the server revoked the tokens, or `nil` if no user was signed in or the tokens cannot be
  ///   removed.
  @discardableResult
  public func signOut() async -> SignOutOutcome? {
    do throws(SessionError) {
      let outcome: SignOutOutcome?
      if let session = self.session {
        outcome = try await session.signOut()
      } else {
        outcome = try await self.client.signOut()
      }
      self.clearError()
      self.clear(.signedOut)
      return outcome
    } catch {
      self.report(error, error.explanation)
      return nil
    }
  }

  /// Reads the store and updates the properties: another process may have refreshed the tokens, signed in, or signed
  /// out.
  ///
  /// This sends no requests.
  public func refreshState() async {
    do throws(SessionError) {
      if let session = self.session {
        try await session.reload()
        self.clearErrorOfStore()
        // The user may have signed in or out in the meantime.
        if self.session === session { await self.publish(session) }
      } else {
        let restored = try await self.client.restoreSession()
        self.clearErrorOfStore()
        let isNew = await restored?.tokenSetID != self.endedTokenSetID
        guard self.session == nil else { return }
        if let restored, isNew {
          await self.publish(restored)
        } else if self.state == .restoring {
          self.state = .signedOut
        }
      }
    } catch {
      self.report(error, error.explanation)
      self.isErrorOfStore = true
    }
  }

  /// Keeps the properties current until the task is canceled: restores the session, follows its events, and calls
  /// ``refreshState()`` when the access token expires and at regular intervals.
  /// - Parameter interval: The longest time until a change by another process is noticed.
  public func follow(checkingEvery interval: Duration = .seconds(60)) async {
    await self.follow(checkingEvery: interval) { try await Task.sleep(for: $0) }
  }

  /// Does what ``follow(checkingEvery:)`` describes.
  /// - Parameter sleep: Waits for a duration. Tests provide their own function.
  package func follow(
    checkingEvery interval: Duration, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async {
    while !Task.isCancelled {
      // Subscribe before reading, so that no event is lost in between.
      let wakeUps = self.makeWakeUps()
      let events = await self.session?.events
      await self.refreshState()
      let pause = self.pause(atMost: interval)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await sleep(pause) }
        group.addTask { for await _ in wakeUps { return } }
        if let events { group.addTask { for await _ in events { return } } }
        await group.next()
        group.cancelAll()
      }
    }
  }

  /// The time until the properties must be read again: until the access token expires, but at most the interval. If the
  /// access token has already expired, the interval.
  private func pause(atMost interval: Duration) -> Duration {
    guard let expiration else { return interval }
    let remaining = Duration.seconds(expiration.timeIntervalSince(self.client.now().date))
    return remaining > .zero ? min(remaining, interval) : interval
  }

  private func makeWakeUps() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = self.nextWakeUp
    self.nextWakeUp += 1
    self.wakeUps[number] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.wakeUps[number] = nil }
    }
    return stream
  }

  // MARK: Publishing

  private func publish(_ session: OAuthSession) async {
    let isNew = self.session !== session
    self.session = session
    let snapshot = await session.snapshot()
    // A sign-in or sign-out may have replaced the session in the meantime.
    guard self.session === session else { return }
    if let requirement = snapshot.requirement, requirement.endsSession {
      self.endedTokenSetID = snapshot.tokenSetID
      self.clear(requirement == .signedOut ? .signedOut : .signInRequired(requirement))
      return
    }
    self.state = snapshot.requirement.map { .signInRequired($0) } ?? .signedIn
    self.claims = snapshot.claims
    self.expiration = snapshot.expiration
    // `follow(checkingEvery:)` must subscribe to the events of the new session.
    if isNew { self.wakeUp() }
  }

  private func clear(_ state: State) {
    self.state = state
    self.session = nil
    self.claims = nil
    self.expiration = nil
    self.wakeUp()
  }

  private func wakeUp() {
    for continuation in self.wakeUps.values { continuation.yield() }
  }

  private func clearError() {
    self.error = nil
    self.explanation = nil
    self.isErrorOfStore = false
  }

  private func clearErrorOfStore() {
    if self.isErrorOfStore { self.clearError() }
  }

  private func report(_ error: any Error, _ explanation: ErrorExplanation) {
    self.isErrorOfStore = false
    self.error = error
    self.explanation = explanation
  }
}
