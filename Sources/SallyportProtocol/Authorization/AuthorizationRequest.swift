/// An authorization request, RFC 6749 §4.1.1 with RFC 7636 and OpenID Connect Core §3.1.2.1, as the client sends it.
///
/// The response type is always `code` and the challenge method always `S256`; there is no way to write another.
public struct AuthorizationRequest: Sendable {
  public var clientID: String
  public var redirectURI: RedirectURI
  public var scope: Scope
  public var state: String
  public var codeChallenge: CodeChallenge
  public var nonce: String?
  public var prompt: String?
  public var loginHint: String?

  public init(
    clientID: String, redirectURI: RedirectURI, scope: Scope, state: String, codeChallenge: CodeChallenge, nonce: String? = nil,
    prompt: String? = nil, loginHint: String? = nil
  ) {
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scope = scope
    self.state = state
    self.codeChallenge = codeChallenge
    self.nonce = nonce
    self.prompt = prompt
    self.loginHint = loginHint
  }

  /// The request's parameters in a stable order.
  public var parameters: [(name: String, value: String)] {
    var parameters = [
      (name: "response_type", value: "code"),
      (name: "client_id", value: self.clientID),
      (name: "redirect_uri", value: self.redirectURI.value),
      (name: "scope", value: self.scope.description),
      (name: "state", value: self.state),
      (name: "code_challenge", value: self.codeChallenge.value),
      (name: "code_challenge_method", value: CodeChallenge.method),
    ]
    let optional = [("nonce", self.nonce), ("prompt", self.prompt), ("login_hint", self.loginHint)]
    parameters += optional.compactMap { name, value in value.map { (name: name, value: $0) } }
    return parameters.filter { !$0.value.isEmpty }
  }

  /// The URL to open in the person's browser.
  public func url(at endpoint: EndpointURL) -> String {
    endpoint.appending(query: self.parameters)
  }
}
