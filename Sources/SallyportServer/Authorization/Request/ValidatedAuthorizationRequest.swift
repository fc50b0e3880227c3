import SallyportProtocol

/// A valid authorization request. Only ``AuthorizationRequestParser`` creates one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  package let parameters: AuthorizationParameters
  /// The parameters as they were sent, or those of the request object if there was one.
  let form: FormParameters
  /// The pushed request, if the user agent presented its `request_uri`; nil while the client pushes the request.
  var pushed: PushedRequest?
}
