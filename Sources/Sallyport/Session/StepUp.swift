import HTTPTypes
public import SallyportProtocol

/// What an API requires in addition to what the session's token provides: more scope (`insufficient_scope`, RFC 6750
/// §3.1), or stronger or more recent authentication (`insufficient_user_authentication`, RFC 9470 §3).
///
/// ```swift
/// var response: TransportResponse
/// do {
///   response = try await session.send(request)
/// } catch {
///   guard case .stepUpRequired(let stepUp) = error else { throw error }
///   session = try await client.signIn(await session.options(for: stepUp), via: browser, receiver: receiver)
///   response = try await session.send(request)
/// }
/// ```
public struct StepUp: Hashable, Sendable {
  /// The scope that the request requires. Empty if the API doesn't name one.
  public var scope: Scope
  /// The acceptable authentication context classes, in order of preference.
  public var acrValues: [String]
  /// The maximum time since the user authenticated, or `nil` if the API doesn't limit it.
  public var maxAge: Duration?

  /// Creates a requirement.
  /// - Parameters:
  ///   - scope: The required scope.
  ///   - acrValues: The acceptable authentication context classes, in order of preference.
  ///   - maxAge: The maximum time since the user authenticated.
  public init(scope: Scope = Scope([]), acrValues: [String] = [], maxAge: Duration? = nil) {
    self.scope = scope
    self.acrValues = acrValues
    self.maxAge = maxAge
  }

  /// Reads a challenge. Returns `nil` if its error is neither `insufficient_scope` nor
  /// `insufficient_user_authentication`.
  init?(_ challenge: AuthenticationChallenge) {
    switch challenge.error {
    case .insufficientScope:
      self.init(scope: challenge.scope ?? Scope([]))
    case .insufficientUserAuthentication:
      let seconds = challenge["max_age"].flatMap { Int64($0) }
      self.init(
        scope: challenge.scope ?? Scope([]),
        acrValues: (challenge["acr_values"] ?? "").split(separator: " ").map(String.init),
        maxAge: seconds.flatMap { $0 < 0 ? nil : .seconds($0) })
    default: return nil
    }
  }
}
