package import SallyportProtocol

/// A valid authorization request. Only ``AuthorizationRequestParser`` creates one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  /// The requested scope, limited to what the client is allowed.
  package let scope: Scope
  /// The scope as requested, if it includes more than is allowed.
  package let requestedScope: Scope?
  /// RFC 8707.
  package let resources: [String]
  package let challenge: CodeChallenge?
  /// `dpop_jkt`, RFC 9449 §10.
  package let boundKey: String?
  package let nonce: String?
  package let prompt: Prompt
  /// In seconds.
  package let maxAge: Int64?
  package let loginHint: String?
  /// The only user that the client accepts, from `id_token_hint` or `claims`.
  package let subject: AccountID?
  package let claims: RequestedClaims?
  /// The parameters of the request, taken from the request object if there was one.
  let form: FormParameters
  /// Set if the request was pushed.
  var pushed: PushedRequest?
}
