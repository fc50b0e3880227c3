package import SallyportProtocol

/// The validated parameters of an authorization request, which are part of the interaction that is sealed in the URL.
/// The client, the redirect URI, the `state`, and the response mode are in ``VerifiedRedirect`` instead.
///
/// If a value in the sealed URL cannot be decoded, the whole interaction is invalid. In particular, a malformed PKCE
/// challenge is never treated as a missing one.
package struct AuthorizationParameters: Sendable, Codable {
  /// The requested scope, limited to what the client is allowed.
  package var scope: Scope
  /// The scope as requested; nil if the client is allowed all of it.
  package let requestedScope: Scope?
  /// The requested resources (RFC 8707).
  package let resources: [String]
  package let challenge: CodeChallenge?
  /// `dpop_jkt` (RFC 9449 §10).
  package let jkt: String?
  package let nonce: String?
  package var prompt: Prompt
  /// The `max_age` parameter or, without it, the client's `default_max_age`, in seconds; nil if there is neither.
  package let maxAge: Int64?
  package var loginHint: String?
  /// The only user that the client accepts, from `id_token_hint` or `claims`.
  package let subject: AccountID?
  package let claims: RequestedClaims?
  /// The requested `acr_values`, or the client's `default_acr_values`, that the server offers; nil if there are none.
  package let contexts: [String]?
  /// The values of an essential `acr` claim. One of them must be satisfied. Nil if every `acr` is acceptable
  /// (OpenID Connect Core §5.5.1.1).
  package let essentialContexts: [String]?
  /// `ui_locales` (OpenID Connect Core §3.1.2.1), limited to 128 characters; nil if the parameter is missing.
  package var uiLocales: String?

  /// The scope that the user is asked to consent to, including the scope values that individually requested claims
  /// imply.
  package var consentScope: Scope { Scope([self.scope, self.claims?.impliedScope ?? ""]) }

  // Short names keep URLs short.
  private enum CodingKeys: String, CodingKey {
    case scope = "s"
    case requestedScope = "q"
    case resources = "r"
    case challenge = "h"
    case jkt = "k"
    case nonce = "n"
    case prompt = "p"
    case maxAge = "m"
    case loginHint = "l"
    case subject = "a"
    case claims = "x"
    case contexts = "v"
    case essentialContexts = "w"
    case uiLocales = "g"
  }
}
