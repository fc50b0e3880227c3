public import SallyportProtocol

/// What a token must be good for.
public struct AccessRequirement: Sendable {
  /// All of these.
  public var scope: Scope
  /// The classes of authentication (`acr`) of which the token must show one; empty where any will do. RFC 9470.
  public var acrValues: [String]
  /// How long ago the person may have signed in; nil for any time. RFC 9470.
  public var maxAge: Duration?

  public init(scope: Scope = "", acrValues: [String] = [], maxAge: Duration? = nil) {
    self.scope = scope
    self.acrValues = acrValues
    self.maxAge = maxAge
  }

  /// RFC 6750 §3.1.
  func checkScope(of token: VerifiedAccessToken) throws(AccessRefusal.Reason) {
    guard token.scope.contains(self.scope) else { throw .insufficientScope(required: self.scope) }
  }

  /// RFC 9470 §3: a class that the token does not show was not reached.
  func checkAuthenticationContext(of token: VerifiedAccessToken) throws(AccessRefusal.Reason) {
    guard !self.acrValues.isEmpty else { return }
    guard let context = token.authenticationContext, self.acrValues.contains(where: { $0.utf8.elementsEqual(context.utf8) })
    else {
      throw .insufficientAuthentication
    }
  }

  /// RFC 9470 §3: a token that does not tell when the person signed in is too old.
  func checkAuthenticationTime(of token: VerifiedAccessToken, now: Timestamp, leeway: Duration) throws(AccessRefusal.Reason) {
    guard let maxAge = self.maxAge else { return }
    guard let time = token.authenticationTime, now - time <= maxAge + leeway else { throw .insufficientAuthentication }
  }
}
