public import HTTPTypes
import SallyportProtocol
public import SallyportRemote

extension Session {
  /// Sends a request to an API with the access token in its `Authorization` header (RFC 6750 §2.1).
  ///
  /// The token goes to the origins of the client's resources only, never into a URL, and no redirect is followed (rule C-34). When
  /// the API does not take the token, the session is refreshed and the request is sent once more.
  /// - Parameters:
  ///   - request: with scheme, authority and path.
  ///   - body: empty for none.
  /// - Throws: ``SessionError``
  public func send(
    _ request: HTTPRequest, body: [UInt8] = [], limits: TransferLimits = TransferLimits()
  ) async throws(SessionError) -> TransportResponse {
    let url = try Self.url(of: request)
    guard self.client.resources.contains(Origin(url)) else { throw .request(.originNotAllowed) }
    return try await self.sendAuthorized(request, body: body, limits: limits)
  }

  /// The person's claims, fresh from the server, OpenID Connect Core §5.3.
  /// - Throws: ``SessionError``; ``UserInfoError/subjectMismatch`` where the answer speaks of somebody else (§5.3.2).
  public func userInfo() async throws(SessionError) -> UserInfo {
    try self.checkNotEnded()
    guard let subject = self.claims?.subject else { throw .userInfo(.subjectUnknown) }
    let endpoint: EndpointURL?
    do {
      endpoint = try await self.client.provider.endpoints().metadata.userinfoEndpoint
    } catch {
      throw SessionError(error)
    }
    guard let endpoint else { throw .userInfo(.notOffered) }
    let response = try await self.sendAuthorized(.get(endpoint), body: [], limits: .document)
    return try UserInfo.validate(response, subject: subject)
  }

  private func sendAuthorized(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits
  ) async throws(SessionError) -> TransportResponse {
    let token = try await self.accessToken()
    let response = try await self.send(request, body: body, limits: limits, with: token)
    guard Self.refusesToken(response.head) else { return response }
    guard let renewed = try await self.accessToken(insteadOf: token) else { return response }
    return try await self.send(request, body: body, limits: limits, with: renewed)
  }

  private func send(
    _ request: HTTPRequest, body: [UInt8], limits: TransferLimits, with token: Secret<String>
  ) async throws(SessionError) -> TransportResponse {
    var request = request
    request.headerFields[.authorization] = "Bearer \(token.reveal())"
    do {
      return try await self.client.transport.send(request, body: body, limits: limits)
    } catch .cancelled {
      throw .cancelled
    } catch {
      throw .network(error)
    }
  }

  /// The request's URL, read as the network will read it: what hides another host in the authority or the path is none.
  private static func url(of request: HTTPRequest) throws(SessionError) -> EndpointURL {
    guard let scheme = request.scheme, let authority = request.authority, let path = request.path, path.hasPrefix("/"),
      !request.headerFields.contains(where: { $0.name.canonicalName == "host" }),
      let url = try? EndpointURL("\(scheme)://\(authority)\(path)"),
      url.authority == authority
    else { throw .request(.malformed) }
    return url
  }

  /// A 401 that blames the token, RFC 6750 §3.1, or says nothing.
  private static func refusesToken(_ head: HTTPResponse) -> Bool {
    guard head.status == .unauthorized else { return false }
    return !(head.headerFields[.wwwAuthenticate] ?? "").contains("insufficient_scope")
  }
}
