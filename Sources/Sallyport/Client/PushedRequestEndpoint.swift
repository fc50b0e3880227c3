package import SallyportProtocol
package import SallyportRemote

/// Sends an authorization request directly to the server before the browser opens (RFC 9126).
///
/// The browser's URL then contains only the client identifier and a reference to the request (`request_uri`).
package struct PushedRequestEndpoint: Sendable {
  private let url: EndpointURL
  private let channel: BackChannel

  package init(url: EndpointURL, channel: BackChannel) {
    self.url = url
    self.channel = channel
  }

  /// Pushes a request.
  /// - Parameter key: The key whose thumbprint the request contains as `dpop_jkt` (RFC 9449 §10.1).
  /// - Returns: The `request_uri`.
  /// - Throws: `TokenRequestError` or `PushedRequestError`
  package func push(_ request: AuthorizationRequest, provenBy key: (any DPoPKey)?) async throws -> String {
    let (response, clientSecrets): (TransportResponse, [Secret<String>])
    do {
      (response, clientSecrets) = try await self.channel.post(
        request.parameters, to: self.url, limits: Self.limits, provenBy: key)
    } catch {
      throw TokenRequestError(error)
    }
    let secrets = [Secret(request.state), Secret(request.nonce ?? "")] + clientSecrets
    return try PushedResponseValidator.validate(response, redacting: secrets)
  }

  private static let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(30))
}

/// Reads and checks a response of the pushed authorization request endpoint (RFC 9126 §2.2 and §2.3).
package enum PushedResponseValidator {
  /// - Parameter secrets: Values that are replaced by `<redacted>` if the server's error response repeats them.
  /// - Returns: The `request_uri`.
  /// - Throws: `TokenRequestError` or `PushedRequestError`
  package static func validate(_ response: TransportResponse, redacting secrets: [Secret<String>]) throws -> String {
    // §2.2 requires status 201, but some servers send 200 with the same body. `error(in:redacting:)` accepts both.
    switch TokenResponseValidator.error(in: response, redacting: secrets) {
    case nil: break
    case .invalid(.unexpectedStatus(let status)): throw PushedRequestError.unexpectedStatus(status)
    case let error?: throw error
    }
    guard let members = ResponseMembers(response), case .string(let requestURI) = members.all["request_uri"],
      let lifetime = try? members.seconds("expires_in")
    else { throw PushedRequestError.malformed }
    try self.checkLifetime(lifetime)
    try self.checkRequestURI(requestURI)
    return requestURI
  }

  private static func checkLifetime(_ seconds: Int) throws(PushedRequestError) {
    guard seconds > 0 else { throw .lifetimeInvalid }
  }

  /// Requires an absolute URI of limited length, because it becomes part of the URL to open.
  private static func checkRequestURI(_ text: String) throws(PushedRequestError) {
    guard text.utf8.count <= 2048, URIComponents(text) != nil else { throw .requestURIMalformed }
  }
}
