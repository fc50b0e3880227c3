package import SallyportProtocol
import SallyportRemote

/// A client's requests to the token endpoint.
package struct TokenEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel

  package init(url: EndpointURL, channel: BackChannel) {
    self.url = url
    self.channel = channel
  }

  /// Exchanges the code of a validated response (RFC 6749 §4.1.3, RFC 7636 §4.5).
  /// - Parameter binding: The key to bind the tokens to (RFC 9449 §5).
  package func exchange(
    _ response: ValidatedResponse, binding: DPoPBinding? = nil
  ) async throws(TokenRequestError) -> TokenResponse {
    let pending = response.pending
    return try await self.request(
      [
        (name: "grant_type", value: "authorization_code"),
        (name: "code", value: response.code.reveal()),
        (name: "redirect_uri", value: pending.redirectURI.value),
        (name: "code_verifier", value: pending.codeVerifier.text.reveal()),
      ] + Self.resources(pending.terms.resources), binding: binding,
      hiding: [response.code, pending.codeVerifier.text, pending.state, pending.nonce])
  }

  /// Refreshes the access token (RFC 6749 §6) with the granted scope and for the same resources (RFC 8707 §2.2).
  package func refresh(
    _ refreshToken: Secret<String>, resources: [ResourceIndicator] = [], binding: DPoPBinding? = nil
  ) async throws(TokenRequestError) -> TokenResponse {
    try await self.request(
      [
        (name: "grant_type", value: "refresh_token"),
        (name: "refresh_token", value: refreshToken.reveal()),
      ] + Self.resources(resources), binding: binding,
      hiding: [refreshToken])
  }

  func request(
    _ parameters: [(name: String, value: String)], binding: DPoPBinding? = nil, hiding secrets: [Secret<String>]
  ) async throws(TokenRequestError) -> TokenResponse {
    let answer: TransportResponse
    do {
      answer = try await self.channel.post(
        parameters, to: self.url, limits: TokenResponseValidator.limits, provenBy: binding?.key)
    } catch {
      throw TokenRequestError(error)
    }
    return try TokenResponseValidator.validate(answer, hiding: secrets + self.channel.secrets, binding: binding)
  }

  static func resources(_ resources: [ResourceIndicator]) -> [(name: String, value: String)] {
    resources.map { (name: "resource", value: $0.value) }
  }
}
