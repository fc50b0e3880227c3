public import HTTPTypes
public import SallyportProtocol

extension Session {
  /// The header fields for a request that the app sends by itself, where ``send(_:body:limits:)`` does not fit: a stream, a WebSocket
  /// (the `https` URL of its `wss` one, and GET: RFC 6455 §4.1), a gRPC call (its method is POST).
  ///
  /// The token goes to the origins of the sign-in's ``SignInOptions/resources`` only, or to the client's `tokenOrigins` where the sign-in
  /// named none (rule C-34), and is refreshed if need be. Each request takes fields of its own; what the API answers goes to ``authorization(after:to:)``.
  /// - Throws: ``SessionError``; ``RequestError/originNotAllowed`` for an API that the tokens are not for.
  public func authorization(
    for method: HTTPRequest.Method, _ url: EndpointURL
  ) async throws(SessionError) -> RequestAuthorization {
    try await self.authorization(for: method, url, at: .api(Origin(url)))
  }

  /// Reads what an API has answered: keeps the nonce that it asks for (`DPoP-Nonce`, RFC 9449 §9), whatever the status, and says how
  /// to go on.
  /// - Parameters:
  ///   - response: the head of the answer.
  ///   - authorization: what the request was sent with.
  /// - Returns: fields to send the request with once more, with the nonce or after a refresh; nil where the answer stands.
  /// - Throws: ``SessionError``; ``SessionError/stepUpRequired(_:)`` where the API wants more than the token has.
  public func authorization(
    after response: HTTPResponse, to authorization: RequestAuthorization
  ) async throws(SessionError) -> RequestAuthorization? {
    let asked = self.client.dpop.nonces.keep(response.headerFields, of: Origin(authorization.url))
    var retries = authorization.retries
    switch ResourceAnswer(response, type: authorization.credential.type) {
    case .settled: return nil
    case .wantsMore(let stepUp): throw .stepUpRequired(stepUp)
    case .wantsNonce:
      guard retries.mayAnswerNonce, authorization.credential.key != nil, let asked, asked != authorization.nonce else {
        return nil
      }
      retries.mayAnswerNonce = false
      return try self.authorization(authorization.credential, again: authorization, retries)
    case .refusesToken:
      let refused = authorization.credential.token
      guard retries.mayRenew,
        let renewed = try await self.credential(insteadOf: refused, for: authorization.destination)
      else { return nil }
      retries = RequestAuthorization.Retries(mayRenew: false)
      return try self.authorization(renewed, again: authorization, retries)
    }
  }

  func authorization(
    for method: HTTPRequest.Method, _ url: EndpointURL, at destination: TokenDestination
  ) async throws(SessionError) -> RequestAuthorization {
    let credential = try await self.credential(for: destination)
    return try self.authorization(credential, for: method, url, at: destination, RequestAuthorization.Retries())
  }

  private func authorization(
    _ credential: AccessCredential, again request: RequestAuthorization, _ retries: RequestAuthorization.Retries
  ) throws(SessionError) -> RequestAuthorization {
    try self.authorization(credential, for: request.method, request.url, at: request.destination, retries)
  }

  private func authorization(
    _ credential: AccessCredential, for method: HTTPRequest.Method, _ url: EndpointURL, at destination: TokenDestination,
    _ retries: RequestAuthorization.Retries
  ) throws(SessionError) -> RequestAuthorization {
    do {
      return try RequestAuthorization(
        credential, for: method, url, at: destination, nonce: self.client.dpop.nonces[Origin(url)], now: self.client.now(),
        retries: retries)
    } catch {
      throw .dpopKey(error)
    }
  }
}
