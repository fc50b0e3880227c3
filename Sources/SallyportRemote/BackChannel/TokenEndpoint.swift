package import SallyportProtocol

/// A client's requests to the token endpoint.
package struct TokenEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel
  private let parameters: RequestParameters
  private let tokenMember: String?

  /// - Parameters:
  ///   - parameters: Additional parameters. Only ``RequestParameters/token`` and ``RequestParameters/refresh`` are
  ///     used.
  ///   - tokenMember: The name of the member of a response whose value is an object with the tokens. `nil` if the
  ///     tokens are at the top level of the response, as RFC 6749 §5.1 requires.
  package init(url: EndpointURL, channel: BackChannel, parameters: RequestParameters = .none, tokenMember: String? = nil) {
    self.url = url
    self.channel = channel
    self.parameters = parameters
    self.tokenMember = tokenMember
  }

  /// Exchanges an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5).
  /// - Parameters:
  ///   - code: The code of a validated response.
  ///   - redirectURI: The redirect URI of the authorization request.
  ///   - resources: The APIs that the tokens are for (RFC 8707 §2.2).
  ///   - binding: The key to bind the tokens to (RFC 9449 §5).
  ///   - secrets: Values of the request, besides the code and the verifier, that an error text must not contain.
  package func exchange(
    code: Secret<String>, redirectURI: RedirectURI, codeVerifier: CodeVerifier, resources: [ResourceIndicator] = [],
    binding: DPoPBinding? = nil, redacting secrets: [Secret<String>] = []
  ) async throws(TokenRequestError) -> TokenResponse {
    try await self.redeem(
      [
        (name: "grant_type", value: "authorization_code"),
        (name: "code", value: code.reveal()),
        (name: "redirect_uri", value: redirectURI.value),
        (name: "code_verifier", value: codeVerifier.text.reveal()),
      ], resources: resources, binding: binding, redacting: [code, codeVerifier.text] + secrets)
  }

  /// Redeems an authorization code or a device code. The request contains the endpoint's additional parameters for
  /// token requests.
  /// - Parameters:
  ///   - grant: The `grant_type` and the parameters that this grant type requires, such as the code.
  ///   - secrets: Values of the request that an error text must not contain.
  package func redeem(
    _ grant: [(name: String, value: String)], resources: [ResourceIndicator], binding: DPoPBinding?,
    redacting secrets: [Secret<String>]
  ) async throws(TokenRequestError) -> TokenResponse {
    try await self.request(
      grant + Self.resources(resources) + self.parameters.token.values, binding: binding, redacting: secrets)
  }

  /// Refreshes the access token (RFC 6749 §6).
  /// - Parameters:
  ///   - scope: The requested scope, or an empty scope to request the granted scope again.
  ///   - resources: The APIs that the token is for (RFC 8707 §2.2).
  ///   - parameters: Additional parameters. They replace the endpoint's additional parameters with the same names.
  ///   - binding: The key that the tokens are bound to (RFC 9449 §5).
  package func refresh(
    _ refreshToken: Secret<String>, scope: Scope = [], resources: [ResourceIndicator] = [],
    parameters: AdditionalParameters = .none, binding: DPoPBinding? = nil
  ) async throws(TokenRequestError) -> TokenResponse {
    try await self.request(
      [
        (name: "grant_type", value: "refresh_token"),
        (name: "refresh_token", value: refreshToken.reveal()),
      ] + (scope.isEmpty ? [] : [(name: "scope", value: scope.description)])
        + Self.resources(resources) + self.parameters.refresh.merging(parameters).values, binding: binding,
      redacting: [refreshToken])
  }

  /// Sends a token request and validates the response.
  /// - Parameter secrets: Values of the request that an error text must not contain.
  package func request(
    _ parameters: [(name: String, value: String)], binding: DPoPBinding? = nil, redacting secrets: [Secret<String>]
  ) async throws(TokenRequestError) -> TokenResponse {
    var response: TransportResponse
    let clientSecrets: [Secret<String>]
    do {
      (response, clientSecrets) = try await self.channel.post(
        parameters, to: self.url, limits: TokenResponseValidator.limits, provenBy: binding?.key)
    } catch {
      throw TokenRequestError(error)
    }
    if let tokenMember = self.tokenMember {
      let isRefresh = parameters.contains { $0.name == "grant_type" && $0.value == "refresh_token" }
      response.replaceTokens(from: tokenMember, isRefresh: isRefresh)
    }
    return try TokenResponseValidator.validate(response, redacting: secrets + clientSecrets, binding: binding)
  }

  package static func resources(_ resources: [ResourceIndicator]) -> [(name: String, value: String)] {
    resources.map { (name: "resource", value: $0.value) }
  }
}
