#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
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

  /// - Parameter now: The time before the request, from which the lifetime of the code is counted.
  /// - Throws: ``DeviceAuthorizationError`` or `TokenRequestError`.
  package func authorize(
    scope: Scope, resources: [ResourceIndicator] = [], additional: AdditionalParameters = .none, now: Timestamp
  ) async throws -> DeviceAuthorization {
    let scope = scope.isEmpty ? [] : [(name: "scope", value: scope.description)]
    let form = scope + TokenEndpoint.resources(resources) + additional.values
    let response: TransportResponse
    do {
      response = try await self.channel.post(form, to: self.url, limits: TokenResponseValidator.limits)
    } catch {
      throw TokenRequestError(error)
    }
    try self.checkError(response)
    return try DeviceAuthorization(response, issuer: self.issuer, requestedAt: now)
  }

  /// Throws if the response is an error response (§3.2, RFC 6749 §5.2).
  private func checkError(_ response: TransportResponse) throws(TokenRequestError) {
    switch response.head.status.code {
    case 429, 500...: throw .unavailable(status: response.head.status.code)
    case 400..<500:
      guard let json = try? JSONDecoder().decode(OAuthErrorJSON.self, from: Data(response.body)) else { return }
      throw .refused(
        OAuthErrorResponse(error: json.error, description: json.errorDescription, hiding: self.channel.secrets))
    default: return
    }
  }
}
