package import SallyportProtocol
package import SallyportRemote

/// Requests a user code and a device code (RFC 8628 §3.1).
package struct DeviceAuthorizationEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel
  private let issuer: Issuer

  package init(url: EndpointURL, channel: BackChannel, issuer: Issuer) {
    self.url = url
    self.channel = channel
    self.issuer = issuer
  }

  /// Sends the request and checks the response.
  /// - Parameter now: The current time. The lifetime of the codes is counted from this time.
  /// - Throws: `DeviceAuthorizationError` or `TokenRequestError`.
  package func authorize(
    scope: Scope, resources: [ResourceIndicator] = [], additional: AdditionalParameters = .none, now: Timestamp
  ) async throws -> DeviceAuthorization {
    let scope = scope.isEmpty ? [] : [(name: "scope", value: scope.description)]
    let form = scope + TokenEndpoint.resources(resources) + additional.values
    let (response, clientSecrets): (TransportResponse, [Secret<String>])
    do {
      (response, clientSecrets) = try await self.channel.post(form, to: self.url, limits: TokenResponseValidator.limits)
    } catch {
      throw TokenRequestError(error)
    }
    switch TokenResponseValidator.error(in: response, redacting: clientSecrets) {
    case nil: return try DeviceAuthorization(response, issuer: self.issuer, requestedAt: now)
    // A `TokenRequestError` with this status would be described as an invalid token response.
    case .invalid(.unexpectedStatus(let status)): throw DeviceAuthorizationError.unexpectedStatus(status)
    case let error?: throw error
    }
  }
}
