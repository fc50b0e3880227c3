public import HTTPTypes
import SallyportProtocol
public import SallyportRemote

extension OAuthSession {
  /// Sends a request to an API with the access token in its `Authorization` header field (RFC 6750 §2.1), and with a
  /// DPoP proof if the token is bound to a key (RFC 9449 §7).
  ///
  /// The token is sent only to the origins of the sign-in's ``SignInOptions/resources``, or of the client's
  /// `tokenOrigins` if none of the resources is a URL. The token is never part of a URL, and redirects are not followed
  /// (rule C-34). If the API asks for a nonce (RFC 9449 §9), the request is sent again with the nonce. If the API
  /// rejects the token, the request is sent again after a refresh, unless the token is at most ten seconds old or
  /// cannot be refreshed.
  /// - Parameters:
  ///   - request: The request, with a scheme, an authority, and a path.
  ///   - target: What the token is for. By default, the session's own access token is sent. The token for a target is
  ///     sent only to the origins of the target.
  ///   - body: The body, or an empty array for none.
  ///   - limits: The maximum size of the response and the timeout.
  /// - Throws: ``SessionError``; ``SessionError/stepUpRequired(_:)`` if the API requires more than the token provides.
  public func send(
    _ request: HTTPRequest, for target: TokenTarget = TokenTarget(), body: [UInt8] = [],
    limits: TransferLimits = TransferLimits()
  ) async throws(SessionError) -> TransportResponse {
    let url = try Self.url(of: request)
    return try await self.sendAuthorized(
      request, to: url, at: .api(Origin(url), for: target), over: self.client.transport, body: body, limits: limits)
  }

  /// Requests the user's claims from the server's UserInfo endpoint (OpenID Connect Core §5.3). If the configuration
  /// has an ``ServerConfiguration/account`` request, which is for servers without OpenID Connect, sends that request
  /// instead.
  /// - Throws: ``SessionError``; ``SessionError/userInfo(_:)`` if the response is, for example, about a different user
  ///   (§5.3.2).
  public func userInfo() async throws(SessionError) -> UserInfo {
    try self.checkNotEnded()
    if let account = self.client.server.account { return try await self.userInfo(account) }
    guard let subject = self.claims?.subject else { throw .userInfo(.subjectUnknown) }
    let endpoint: EndpointURL?
    do {
      endpoint = try await self.client.provider.endpoints().metadata.userinfoEndpoint
    } catch {
      throw SessionError(error)
    }
    guard let endpoint else { throw .userInfo(.notOffered) }
    let response = try await self.sendAuthorized(
      .get(endpoint), to: endpoint, at: .server, over: self.client.provider.transport, body: [], limits: .document)
    return try UserInfo.validate(response, subject: subject)
  }

  /// Sends a request with a token and, if necessary, a DPoP proof. Repeats the request with a nonce or a new token, as
  /// long as ``authorization(after:to:)`` returns fields for another attempt.
  func sendAuthorized(
    _ request: HTTPRequest, to url: EndpointURL, at destination: TokenDestination, over transport: any Transport,
    body: [UInt8], limits: TransferLimits
  ) async throws(SessionError) -> TransportResponse {
    var authorization = try await self.authorization(for: request.method, url, at: destination)
    while true {
      var request = request
      authorization.apply(to: &request)
      let response = try await self.transmit(request, over: transport, body: body, limits: limits)
      guard let next = try await self.authorization(after: response.head, to: authorization) else { return response }
      authorization = next
    }
  }

  private func transmit(
    _ request: HTTPRequest, over transport: any Transport, body: [UInt8], limits: TransferLimits
  ) async throws(SessionError) -> TransportResponse {
    do {
      return try await transport.send(request, body: body, limits: limits)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .network(error)
    }
  }

  /// The request's URL. Rejects requests whose authority, path, or `Host` field could name another host.
  static func url(of request: HTTPRequest) throws(SessionError) -> EndpointURL {
    guard let scheme = request.scheme, let authority = request.authority, let path = request.path, path.hasPrefix("/"),
      !request.headerFields.contains(where: { $0.name.canonicalName == "host" }),
      let url = try? EndpointURL("\(scheme)://\(authority)\(path)"),
      url.authority == authority
    else { throw .requestMalformed }
    return url
  }
}
