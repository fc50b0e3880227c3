import HTTPTypes
package import SallyportProtocol

/// Revokes tokens (RFC 7009 §2.1).
package struct RevocationEndpoint: Sendable {
  /// The `token_type_hint`.
  package enum Hint: String, Sendable {
    case refreshToken = "refresh_token"
    case accessToken = "access_token"
  }

  private let url: EndpointURL
  private let channel: BackChannel

  package init(url: EndpointURL, channel: BackChannel) {
    self.url = url
    self.channel = channel
  }

  /// - Returns: Whether the token is revoked. A token that the server doesn't know counts as revoked (§2.2), even if
  ///   the server reports an error for this token, as some servers do after the token's grant was revoked.
  package func revoke(_ token: Secret<String>, hint: Hint) async -> Bool {
    let form = [(name: "token", value: token.reveal()), (name: "token_type_hint", value: hint.rawValue)]
    let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(10))
    guard let (response, _) = try? await self.channel.post(form, to: self.url, limits: limits) else { return false }
    switch TokenResponseValidator.error(in: response, redacting: []) {
    // A response with status 204 (No Content) reports success too.
    case nil, .invalid(.unexpectedStatus(204)): return true
    case .refused(let errorResponse): return errorResponse.code == .invalidToken || errorResponse.code == .invalidGrant
    default: return false
    }
  }
}
