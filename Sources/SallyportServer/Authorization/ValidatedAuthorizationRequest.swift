package import SallyportProtocol

/// A request of the authorization endpoint that broke no rule. Only ``AuthorizationRequestParser`` makes one.
package struct ValidatedAuthorizationRequest: Sendable {
  package let redirect: VerifiedRedirect
  /// What the client may have of what it asked for.
  package let scope: Scope
  /// What it asked for, where that is more.
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
  /// The one person that the client means, by `id_token_hint` or `claims`.
  package let subject: AccountID?
  package let claims: RequestedClaims?
  /// The request as it was resolved: out of a request object, where there was one.
  let form: FormParameters
  /// Where the request was pushed: what all its openings have in common.
  var pushed: PushedRequest?
}
