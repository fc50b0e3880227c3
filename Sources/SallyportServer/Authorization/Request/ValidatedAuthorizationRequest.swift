import SallyportProtocol

/// A valid authorization request. Only ``AuthorizationRequestParser`` creates one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  package let parameters: AuthorizationParameters
  /// The unparsed form from which `parameters` was read: the parameters of the request object if the request contained
  /// one, otherwise the parameters of the request itself.
  let form: FormParameters
  /// The pushed request whose `request_uri` the user agent presented; nil for any other request.
  var pushed: PushedRequest?
}
