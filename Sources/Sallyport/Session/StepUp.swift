import HTTPTypes
public import SallyportProtocol

/// What an API wants beyond what this session's token has: more scope (RFC 6750 §3.1, `insufficient_scope`), or a person who
/// authenticated better or later (RFC 9470 §3, `insufficient_user_authentication`).
///
///     do {
///       response = try await session.send(request)
///     } catch {
///       guard case .stepUpRequired(let stepUp) = error else { throw error }
///       session = try await client.signIn(await session.options(for: stepUp), via: browser, receiver: receiver)
///       response = try await session.send(request)
///     }
public struct StepUp: Hashable, Sendable {
  /// The scope that the request needs; empty where the API does not say.
  public var scope: Scope
  /// The classes of authentication that would do, the best first.
  public var acrValues: [String]
  /// How long ago the person may have authenticated.
  public var maxAge: Duration?

  public init(scope: Scope = Scope([]), acrValues: [String] = [], maxAge: Duration? = nil) {
    self.scope = scope
    self.acrValues = acrValues
    self.maxAge = maxAge
  }

  /// Reads a challenge; nil where it asks for something else.
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

extension Session {
  /// What to sign in with so that the API will be content: the scope that was granted and the one that is missing, and the
  /// authentication that it asks for.
  ///
  /// The new session takes this one's place. It is whoever signs in: an app that must go on with the same person compares
  /// the subject of ``claims``.
  public func options(for stepUp: StepUp) -> SignInOptions {
    var options = SignInOptions(scopes: [self.scope, stepUp.scope])
    options.acrValues = stepUp.acrValues
    // A server that could not reach any of them would otherwise lead straight back to the same refusal.
    options.requiresACR = !stepUp.acrValues.isEmpty && self.claims != nil
    options.maxAge = stepUp.maxAge
    options.resources = self.resources
    return options
  }
}
