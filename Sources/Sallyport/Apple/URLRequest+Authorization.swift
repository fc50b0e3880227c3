#if canImport(Darwin)
  import HTTPTypes
  import SallyportProtocol

  #if canImport(FoundationNetworking)
    // Apple platforms don't have this module. Scripts/platforms compiles this file on Linux, against stubs of Apple's
    // APIs.
    import Foundation
    public import FoundationNetworking
  #else
    public import Foundation
  #endif

  extension RequestAuthorization {
    /// Replaces the `Authorization` and `DPoP` fields of a request with the fields of this authorization. If the token
    /// is not bound to a key, the request has no `DPoP` field afterward.
    /// - Parameter request: The request that the authorization was created for.
    public func apply(to request: inout URLRequest) {
      request.setValue(nil, forHTTPHeaderField: "DPoP")
      for field in self.fields.reveal() { request.setValue(field.value, forHTTPHeaderField: field.name.rawName) }
    }
  }

  extension OAuthSession {
    /// Returns the header fields for a request that the app sends with `URLSession`; see
    /// ``authorization(for:_:target:)``.
    ///
    /// Set the fields with ``RequestAuthorization/apply(to:)``, and pass the response to ``authorization(after:to:)``.
    /// To prevent `URLSession` from following redirects, implement
    /// `urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)` and pass `nil` to its completion
    /// handler.
    /// - Parameters:
    ///   - request: The request, with an `https` URL (or a loopback `http` URL).
    ///   - target: What the token is for. By default, the session's own access token is used.
    /// - Throws: ``SessionError``; ``SessionError/originNotAllowed`` if the tokens are not for this API, and
    ///   ``SessionError/requestMalformed`` if the request's URL is missing or not allowed.
    public func authorization(
      for request: URLRequest, target: TokenTarget = TokenTarget()
    ) async throws(SessionError) -> RequestAuthorization {
      guard let url = request.url.flatMap({ try? EndpointURL($0.absoluteString) }),
        let method = HTTPRequest.Method(request.httpMethod ?? "GET")
      else { throw .requestMalformed }
      return try await self.authorization(for: method, url, target: target)
    }

    /// Evaluates an API's response to a request that the app sent with `URLSession`.
    /// - Parameters:
    ///   - response: The response.
    ///   - authorization: The authorization that the request was sent with.
    /// - Returns: The fields for sending the request again, or `nil` if the response is final.
    /// - Throws: ``SessionError``; ``SessionError/stepUpRequired(_:)`` if the API requires more than the token
    ///   provides.
    public func authorization(
      after response: URLResponse, to authorization: RequestAuthorization
    ) async throws(SessionError) -> RequestAuthorization? {
      guard let response = response as? HTTPURLResponse else { return nil }
      return try await self.authorization(after: HTTPResponse(response), to: authorization)
    }
  }
#endif
