package import SallyportProtocol
package import SallyportRemote

extension TokenEndpoint {
  /// Polls once for the tokens of a device authorization (RFC 8628 §3.4).
  package func redeem(
    deviceCode: Secret<String>, resources: [ResourceIndicator] = [], binding: DPoPBinding? = nil
  ) async throws(TokenRequestError) -> TokenResponse {
    try await self.redeem(
      [
        (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
        (name: "device_code", value: deviceCode.reveal()),
      ], resources: resources, binding: binding, redacting: [deviceCode])
  }
}
