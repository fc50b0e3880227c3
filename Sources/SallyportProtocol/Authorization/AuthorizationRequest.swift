/// An authorization request as the client sends it (RFC 6749 §4.1.1, RFC 7636, RFC 8707, RFC 9449 §10, OpenID Connect
/// Core §3.1.2.1).
///
/// The response type is always `code`. The challenge method is always `S256`.
package struct AuthorizationRequest: Sendable {
  /// The `client_id`.
  package var clientID: String
  /// The `redirect_uri` to which the server sends the response.
  package var redirectURI: RedirectURI
  /// The requested scope.
  package var scope: Scope
  /// The name of the parameter that contains the scope.
  package var scopeName = "scope"
  /// The `response_mode`, or `nil` for the default, `query`.
  package var responseMode: String?
  /// The `state`, which the response repeats (RFC 6749 §10.12).
  package var state: String
  /// The `code_challenge`.
  package var codeChallenge: CodeChallenge
  /// The `nonce`, which the ID token repeats.
  package var nonce: String?
  /// How the server must prompt the user.
  package var prompt: Prompt = []
  /// The `login_hint`: the identifier with which the user may want to sign in.
  package var loginHint: String?
  /// The maximum age of the authentication, sent in whole seconds.
  package var maxAge: Duration?
  /// BCP 47 language tags in order of preference.
  package var uiLocales: [String] = []
  /// Authentication context classes in order of preference.
  package var acrValues: [String] = []
  /// The individual claims to request.
  package var claims = ClaimsRequest()
  /// The APIs that the tokens are for.
  package var resources: [ResourceIndicator] = []
  /// `dpop_jkt`: the thumbprint of the DPoP key that the code is bound to.
  package var dpopKeyThumbprint: String?
  /// Server-specific parameters.
  package var additional = AdditionalParameters.none

  /// Creates a request with the parameters that every request needs.
  package init(
    clientID: String, redirectURI: RedirectURI, scope: Scope, state: String, codeChallenge: CodeChallenge, nonce: String? = nil
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scope = scope
    self.state = state
    self.codeChallenge = codeChallenge
    self.nonce = nonce
  }

  /// The parameters in a stable order, without empty parameters. Only `resource` can occur more than once.
  package var parameters: [(name: String, value: String)] {
    var parameters = [
      (name: "response_type", value: "code"),
      (name: "client_id", value: self.clientID),
      (name: "redirect_uri", value: self.redirectURI.value),
      (name: self.scopeName, value: self.scope.description),
      (name: "response_mode", value: self.responseMode ?? ""),
      (name: "state", value: self.state),
      (name: "code_challenge", value: self.codeChallenge.value),
      (name: "code_challenge_method", value: CodeChallenge.method),
      (name: "nonce", value: self.nonce ?? ""),
      (name: "prompt", value: self.prompt.description),
      (name: "login_hint", value: self.loginHint ?? ""),
      (name: "max_age", value: self.maxAge.map { String(max(0, $0.components.seconds)) } ?? ""),
      (name: "ui_locales", value: self.uiLocales.joined(separator: " ")),
      (name: "acr_values", value: self.acrValues.joined(separator: " ")),
      (name: "claims", value: self.claims.json),
      (name: "dpop_jkt", value: self.dpopKeyThumbprint ?? ""),
    ]
    parameters += self.resources.map { (name: "resource", value: $0.value) }
    parameters += self.additional.values
    return parameters.filter { !$0.value.isEmpty }
  }

  /// The URL to open in the user's browser.
  package func url(at endpoint: EndpointURL) -> String {
    endpoint.appending(query: self.parameters)
  }
}
