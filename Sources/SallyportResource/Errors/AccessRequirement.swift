public import SallyportProtocol

/// What a request requires of its access token.
public struct AccessRequirement: Sendable {
  /// The scopes that must all be granted.
  public var scope: Scope
  /// The acceptable authentication context classes (`acr`), or empty if any is accepted (RFC 9470).
  public var acrValues: [String]
  /// The maximum time since the user authenticated, or `nil` for no limit (RFC 9470).
  public var maxAge: Duration?

  /// Creates a requirement.
  /// - Parameters:
  ///   - scope: The scopes that must all be granted.
  ///   - acrValues: The acceptable authentication context classes, or empty if any is accepted.
  ///   - maxAge: The maximum time since the user authenticated, or `nil` for no limit.
  public init(scope: Scope = "", acrValues: [String] = [], maxAge: Duration? = nil) {
    self.scope = scope
    self.acrValues = acrValues
    self.maxAge = maxAge
  }

  /// RFC 6750 §3.1: the token must include the required scope.
  func checkScope(of token: VerifiedAccessToken) throws(AccessError.Reason) {
    guard token.scope.contains(self.scope) else { throw .insufficientScope(required: self.scope) }
  }

  /// RFC 9470 §3: if this requirement lists acceptable authentication context classes, the token's class must be one of
  /// them. A token without a class is then rejected.
  func checkAuthenticationContext(of token: VerifiedAccessToken) throws(AccessError.Reason) {
    guard !self.acrValues.isEmpty else { return }
    guard let context = token.authenticationContext, self.acrValues.contains(where: { $0.utf8.elementsEqual(context.utf8) })
    else {
      throw .insufficientAuthentication
    }
  }

  /// RFC 9470 §3: if this requirement has a maximum age, the user must have authenticated recently enough. A token
  /// without an authentication time is then rejected.
  func checkAuthenticationTime(of token: VerifiedAccessToken, now: Timestamp, leeway: Duration) throws(AccessError.Reason) {
    guard let maxAge = self.maxAge else { return }
    guard let time = token.authenticationTime, now - time <= maxAge + leeway else { throw .insufficientAuthentication }
  }
}
