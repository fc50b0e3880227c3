#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization

extension FakeAuthorizationServer {
  func response(to request: HTTPRequest, at url: String, _ form: FormParameters) -> TransportResponse {
    switch (request.method, url) {
    case (.get, WellKnown.openIDConfiguration(of: self.issuer)): self.json(self.metadata)
    case (.get, self.issuer.url(appending: "/jwks")): self.json(["keys": [self.jwk]])
    case (.get, self.issuer.url(appending: "/authorize")): self.authorize(form)
    case (.post, self.issuer.url(appending: "/token")): self.token(form)
    case (.post, self.issuer.url(appending: "/revoke")): self.revoke(form)
    case (.get, self.issuer.url(appending: "/userinfo")):
      self.hasValidToken(request) ? self.json(.object(self.claims)) : self.unauthorized
    default: TransportResponse(head: HTTPResponse(status: .notFound), body: [])
    }
  }

  private var metadata: JSONValue {
    [
      "issuer": .string(self.issuer.value),
      "authorization_endpoint": .string(self.issuer.url(appending: "/authorize")),
      "token_endpoint": .string(self.issuer.url(appending: "/token")),
      "revocation_endpoint": .string(self.issuer.url(appending: "/revoke")),
      "userinfo_endpoint": .string(self.issuer.url(appending: "/userinfo")),
      "jwks_uri": .string(self.issuer.url(appending: "/jwks")),
      "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
      "id_token_signing_alg_values_supported": ["ES256"], "authorization_response_iss_parameter_supported": true,
    ]
  }

  /// Signs the user in and redirects to the app with a code, or with an error if the request is invalid. Doesn't
  /// redirect if the request has no valid redirect URI or no client identifier.
  private func authorize(_ request: FormParameters) -> TransportResponse {
    guard let redirectURI = request["redirect_uri"].flatMap({ try? RedirectURI($0) }), request["client_id"] != nil else {
      return self.error(.invalidRequest)
    }
    var parameters = [(name: "state", value: request["state"] ?? ""), (name: "iss", value: self.issuer.value)]
    if request["response_type"] == "code", (try? self.challenge(of: request)) != nil {
      let code = self.unique("code")
      self.state.withLock { $0.codes[code] = request }
      parameters.append(("code", code))
    } else {
      parameters.append(("error", "\(OAuthErrorCode.invalidRequest)"))
    }
    let head = HTTPResponse(status: .seeOther, headerFields: [.location: redirectURI.appending(parameters)])
    return TransportResponse(head: head, body: [])
  }

  /// The request's code challenge (RFC 7636 §4.3).
  func challenge(of request: FormParameters) throws(PKCEError) -> CodeChallenge {
    try CodeChallenge(request["code_challenge"] ?? "", method: request["code_challenge_method"])
  }

  /// Ends the grant of a token (RFC 7009).
  private func revoke(_ form: FormParameters) -> TransportResponse {
    guard let token = form["token"] else { return self.error(.invalidRequest) }
    self.state.withLock { state in
      state.grants.removeAll { grant in grant.expirations[token] != nil || grant.refreshToken == token }
    }
    return self.json([:])
  }

  /// Whether a request has an access token of this server that is still valid.
  func hasValidToken(_ request: HTTPRequest) -> Bool {
    guard let authorization = request.headerFields[.authorization], authorization.hasPrefix("Bearer ") else { return false }
    let token = String(authorization.dropFirst("Bearer ".count))
    return self.state.withLock { state in
      state.grants.contains { grant in
        guard let expiration = grant.expirations[token] else { return false }
        return state.now < expiration
      }
    }
  }

  var unauthorized: TransportResponse {
    let fields: HTTPFields = [.wwwAuthenticate: #"Bearer error="invalid_token""#]
    return TransportResponse(head: HTTPResponse(status: .unauthorized, headerFields: fields), body: [])
  }

  func error(_ code: OAuthErrorCode) -> TransportResponse {
    self.json(["error": .string("\(code)")], status: .badRequest)
  }

  func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> TransportResponse {
    let head = HTTPResponse(status: status, headerFields: [.contentType: "application/json"])
    // Encoding fails only if a claim is `nan` or infinite, which JSON cannot represent.
    return TransportResponse(head: head, body: Array((try? JSONEncoder().encode(value)) ?? Data()))
  }

  /// Returns a different text each time it is called.
  func unique(_ prefix: String) -> String {
    self.state.withLock { state in
      state.counter += 1
      return "\(prefix)-\(state.counter)"
    }
  }
}
