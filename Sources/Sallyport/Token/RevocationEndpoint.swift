import HTTPTypes
package import SallyportProtocol
package import SallyportRemote

/// Tells the server that a token is not needed any more, RFC 7009 §2.1.
package struct RevocationEndpoint: Sendable {
  /// `token_type_hint`.
  package enum Hint: String, Sendable {
    case refreshToken = "refresh_token"
    case accessToken = "access_token"
  }

  private let url: EndpointURL
  private let clientID: String
  private let transport: any Transport

  package init(url: EndpointURL, clientID: String, transport: any Transport) {
    self.url = url
    self.clientID = clientID
    self.transport = transport
  }

  /// - Returns: whether the server confirmed; a token that it does not know counts as revoked (§2.2).
  package func revoke(_ token: Secret<String>, hint: Hint) async -> Bool {
    let form = [
      (name: "token", value: token.reveal()), (name: "token_type_hint", value: hint.rawValue),
      (name: "client_id", value: self.clientID),
    ]
    let limits = TransferLimits(maximumBodySize: 64 << 10, timeout: .seconds(10))
    let answer = try? await self.transport.send(
      .post(form: self.url), body: Array(FormParameters.encode(form).utf8), limits: limits)
    return answer?.head.status.code == 200
  }
}
