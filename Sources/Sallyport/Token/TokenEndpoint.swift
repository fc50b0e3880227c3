package import SallyportProtocol
import SallyportRemote

/// The requests that a client makes of the token endpoint.
package struct TokenEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel

  package init(url: EndpointURL, channel: BackChannel) {
    self.url = url
    self.channel = channel
  }

  /// Exchanges the code of a validated response, RFC 6749 §4.1.3 and RFC 7636 §4.5.
  package func exchange(_ response: ValidatedResponse) async throws(TokenRequestError) -> TokenResponse {
    let pending = response.pending
    return try await self.request(
      [
        (name: "grant_type", value: "authorization_code"),
        (name: "code", value: response.code.reveal()),
        (name: "redirect_uri", value: pending.redirectURI.value),
        (name: "code_verifier", value: pending.codeVerifier.text.reveal()),
      ],
      hiding: [response.code, pending.codeVerifier.text, pending.state, pending.nonce])
  }

  /// Asks for a new access token, RFC 6749 §6, with the scope that was granted.
  package func refresh(_ refreshToken: Secret<String>) async throws(TokenRequestError) -> TokenResponse {
    try await self.request(
      [
        (name: "grant_type", value: "refresh_token"),
        (name: "refresh_token", value: refreshToken.reveal()),
      ],
      hiding: [refreshToken])
  }

  func request(
    _ parameters: [(name: String, value: String)], hiding secrets: [Secret<String>]
  ) async throws(TokenRequestError) -> TokenResponse {
    let answer: TransportResponse
    do {
      answer = try await self.channel.post(parameters, to: self.url, limits: TokenAnswer.limits)
    } catch {
      throw .network(error)
    }
    return try TokenAnswer.validate(answer, hiding: secrets + self.channel.secrets)
  }
}
