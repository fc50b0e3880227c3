import SallyportProtocol

/// A valid authorization request. Only ``AuthorizationRequestParser`` creates one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  package let parameters: AuthorizationParameters
  /// The parameters as they were sent, or those of the request object if there was one.
  let form: FormParameters
  /// Set if the request was pushed.
  var pushed: PushedRequest?
}
