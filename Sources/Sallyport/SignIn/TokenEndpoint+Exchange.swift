package import SallyportProtocol
package import SallyportRemote

extension TokenEndpoint {
  /// Exchanges the code of a validated authorization response (RFC 6749 §4.1.3).
  /// - Parameter binding: The key to bind the tokens to (RFC 9449 §5).
  package func exchange(
    _ response: ValidatedResponse, binding: DPoPBinding? = nil
  ) async throws(TokenRequestError) -> TokenResponse {
    let pending = response.pending
    return try await self.exchange(
      code: response.code, redirectURI: pending.redirectURI, codeVerifier: pending.codeVerifier,
      resources: pending.details.resources, binding: binding, redacting: [pending.state, pending.nonce])
  }
}
