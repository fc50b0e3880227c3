public import HTTPTypes
public import SallyportProtocol
import SallyportRemote

extension OAuthSession {
  /// Returns the header fields for a request that the app sends itself, where ``send(_:for:body:limits:)`` isn't
  /// suitable.
  ///
  /// Examples are a stream, a WebSocket (use the `https` form of its `wss` URL and GET, RFC 6455 §4.1), and a gRPC call
  /// (use POST).
  ///
  /// The token may be used only for the origins of the sign-in's ``SignInOptions/resources``, or of the client's
  /// `tokenOrigins` if none of the resources is a URL (rule C-34). The token is refreshed if necessary. Get new fields
  /// for each request, and pass the API's response to ``authorization(after:to:)``.
  /// - Parameters:
  ///   - method: The request's method.
  ///   - url: The request's URL.
  ///   - target: What the token is for. By default, the session's own access token is used. The token for a target may
  ///     be used only for the origins of the target.
  /// - Throws: ``SessionError``; ``SessionError/originNotAllowed`` if the tokens are not for this API.
  public func authorization(
    for method: HTTPRequest.Method, _ url: EndpointURL, target: TokenTarget = TokenTarget()
  ) async throws(SessionError) -> RequestAuthorization {
    try await self.authorization(for: method, url, at: .api(Origin(url), for: target))
  }

  /// Returns the header fields for a request that the app sends itself; see ``authorization(for:_:target:)``.
  /// - Parameters:
  ///   - request: The request, with a scheme, an authority, and a path.
  ///   - target: What the token is for. By default, the session's own access token is used.
  /// - Throws: ``SessionError``; ``SessionError/originNotAllowed`` if the tokens are not for this API.
  public func authorization(
    for request: HTTPRequest, target: TokenTarget = TokenTarget()
  ) async throws(SessionError) -> RequestAuthorization {
    try await self.authorization(for: request.method, Self.url(of: request), target: target)
  }

  /// Evaluates an API's response: stores the nonce that it contains (`DPoP-Nonce`, RFC 9449 §9), and determines whether
  /// to send the request again.
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - authorization: The authorization that the request was sent with.
  /// - Returns: The fields for sending the request again, with a nonce or after a refresh, or `nil` if the response is
  ///   final.
  /// - Throws: ``SessionError``; ``SessionError/stepUpRequired(_:)`` if the API requires more than the token provides.
  public func authorization(
    after response: HTTPResponse, to authorization: RequestAuthorization
  ) async throws(SessionError) -> RequestAuthorization? {
    let newNonce = self.client.dpop.nonces.storeNonce(in: response.headerFields, from: Origin(authorization.url))
    var retries = authorization.retries
    switch TokenVerdict(response, type: authorization.credential.type) {
    case .final: return nil
    case .requiresStepUp(let stepUp): throw .stepUpRequired(stepUp)
    case .requiresNonce:
      guard retries.mayRetryWithNonce, authorization.credential.key != nil, let newNonce, newNonce != authorization.nonce
      else { return nil }
      retries.mayRetryWithNonce = false
      return try self.authorization(authorization.credential, retrying: authorization, retries)
    case .rejectsToken:
      let rejectedToken = authorization.credential.token
      guard retries.mayRenew,
        let newCredential = try await self.credential(insteadOf: rejectedToken, for: authorization.destination)
      else { return nil }
      // With the new token, the request may be retried once more with a nonce.
      retries = RequestAuthorization.Retries(mayRenew: false)
      return try self.authorization(newCredential, retrying: authorization, retries)
    }
  }

  func authorization(
    for method: HTTPRequest.Method, _ url: EndpointURL, at destination: TokenDestination
  ) async throws(SessionError) -> RequestAuthorization {
    let credential = try await self.credential(for: destination)
    return try self.authorization(credential, for: method, url, at: destination, RequestAuthorization.Retries())
  }

  private func authorization(
    _ credential: AccessCredential, retrying request: RequestAuthorization, _ retries: RequestAuthorization.Retries
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
