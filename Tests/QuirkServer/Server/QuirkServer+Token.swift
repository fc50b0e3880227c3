import Crypto
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes
import SallyportProtocol
import SallyportRemote
import Synchronization
import TestSupport

extension QuirkServer {
  /// Responds to a token request.
  func token(_ request: HTTPRequest, _ form: FormParameters) -> TransportResponse {
    guard request.headerFields[.contentType] == "application/x-www-form-urlencoded" else {
      return .text("The media type must be application/x-www-form-urlencoded.", status: .unsupportedMediaType)
    }
    do throws(Rejection) {
      switch form["grant_type"] {
      case "authorization_code": return try self.exchange(request, form)
      case "refresh_token": return try self.refresh(request, form)
      case "urn:ietf:params:oauth:grant-type:device_code" where self.provider.endpoints.device != nil:
        return try self.poll(request, form)
      default: throw Rejection(.unsupportedGrant)
      }
    } catch {
      return self.failure(error.failure)
    }
  }

  private func exchange(_ request: HTTPRequest, _ form: FormParameters) throws(Rejection) -> TransportResponse {
    try self.authenticate(request, form, self.provider.client.secret)
    guard let code = form["code"], let authorizationRequest = self.state.withLock({ $0.codes.removeValue(forKey: code) }) else {
      throw Rejection(.unknownCode)
    }
    guard form["redirect_uri"] == authorizationRequest["redirect_uri"] else { throw Rejection(.wrongRedirectURI) }
    if let challenge = authorizationRequest["code_challenge"] {
      let digest = SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8))
      guard Base64URL.encode(digest) == challenge else { throw Rejection(.wrongVerifier) }
    }
    return self.tokens(self.newGrant(for: authorizationRequest, self.provider.client.secret), isRefresh: false)
  }

  private func refresh(_ request: HTTPRequest, _ form: FormParameters) throws(Rejection) -> TransportResponse {
    let refreshToken = form["refresh_token"]
    let knownGrant = self.state.withLock { state in
      state.grants.values.first { !$0.isRevoked && $0.refreshToken != nil && $0.refreshToken == refreshToken }
    }
    try self.authenticate(request, form, knownGrant?.secret ?? self.provider.client.secret)
    guard var grant = knownGrant else { throw Rejection(.unknownRefreshToken) }
    if let apiForScope = self.provider.apiForScope { return try self.refresh(&grant, for: form["scope"], apiForScope) }
    grant.accessToken = self.unique("access")
    if self.provider.refresh == .rotates { grant.refreshToken = self.unique("refresh") }
    self.state.withLock { [grant] in $0.grants[grant.number] = grant }
    return self.tokens(grant, isRefresh: true)
  }

  /// Issues a token for the API to which the scope belongs.
  /// - Parameter scope: The scope of the request, or `nil` if the scope of the last refresh or of the sign-in applies.
  private func refresh(
    _ grant: inout Grant, for scope: String?, _ apiForScope: (String) throws(Rejection) -> String?
  ) throws(Rejection) -> TransportResponse {
    let scope = scope ?? grant.lastScope ?? grant.scope
    let api = try apiForScope(scope)
    let access = self.unique("access")
    // Without `api`, the new token is for the API of the sign-in.
    if let api { grant.otherAccessTokens[access] = api } else { grant.accessToken = access }
    grant.lastScope = scope
    let hasOfflineAccess = scope.split(separator: " ").contains("offline_access")
    if hasOfflineAccess, self.provider.refresh == .rotates { grant.refreshToken = self.unique("refresh") }
    self.state.withLock { [grant] in $0.grants[grant.number] = grant }
    // The response has the token and the scope of this refresh. The stored grant keeps the scope of the sign-in.
    var issuedGrant = grant
    issuedGrant.accessToken = access
    issuedGrant.scope = scope.split(separator: " ").filter { $0 != "offline_access" }.joined(separator: " ")
    if !hasOfflineAccess { issuedGrant.refreshToken = nil }
    return self.tokens(issuedGrant, isRefresh: true)
  }

  // MARK: Tokens

  /// Stores a new grant for an authorization or device authorization request.
  func newGrant(for request: FormParameters, _ secret: RegisteredClient.Secret) -> Grant {
    let refreshToken = self.provider.issuesRefreshToken(request) ? self.unique("refresh") : nil
    let access = self.unique("access")
    return self.state.withLock { state in
      state.counter += 1
      let grant = Grant(
        number: state.counter, scope: request["scope"] ?? "", nonce: request["nonce"], secret: secret, accessToken: access,
        refreshToken: refreshToken)
      state.grants[grant.number] = grant
      return grant
    }
  }

  /// Returns the token response for a grant.
  func tokens(_ grant: Grant, isRefresh: Bool) -> TransportResponse {
    var response: JSONValue = [
      "access_token": .string(grant.accessToken), "token_type": "Bearer", "expires_in": 3600, "scope": .string(grant.scope),
    ]
    if !isRefresh || self.provider.refresh != .omitsToken { response["refresh_token"] = grant.refreshToken.map { .string($0) } }
    if self.provider.issuer != nil, grant.scope.split(separator: " ").contains("openid") {
      response["id_token"] = (try? self.idToken(grant)).map { .string($0) }
    }
    self.provider.changeTokens(&response)
    if let lifetime = self.lifetime { response["expires_in"] = .integer(Int64(lifetime)) }
    return .json(encoding: response)
  }

  private func idToken(_ grant: Grant) throws -> String {
    let now = self.now()
    var claims: JSONValue = [
      "iss": .string(self.provider.issuer ?? ""), "sub": "ada", "aud": .string(self.provider.client.id),
      "iat": .integer(now.seconds), "exp": .integer(now.seconds + 3600),
    ]
    claims["nonce"] = grant.nonce.map { .string($0) }
    self.provider.changeClaims(&claims)
    let header: JSONValue = ["alg": .string(self.key.algorithm), "typ": "JWT", "kid": "key-1"]
    return try TestIssuer.sign(
      header: JSONEncoder().encode(header), payload: JSONEncoder().encode(self.replacingProviderURLs(in: claims)), key: self.key
    ).reveal()
  }

  // MARK: Client authentication

  /// Checks the client identifier and the client secret of a request.
  /// - Parameter secret: Which secret the request must contain, if any, and where.
  func authenticate(
    _ request: HTTPRequest, _ form: FormParameters, _ secret: RegisteredClient.Secret
  ) throws(Rejection) {
    let basic = try self.basicCredentials(request)
    guard (basic?.id ?? form["client_id"]) == self.provider.client.id else { throw Rejection(.unknownClient) }
    switch secret {
    case .ignored: break
    case .mustBeAbsent:
      guard basic == nil, form["client_secret"] == nil else { throw Rejection(.wrongSecret) }
    case .required where self.simulatedFailure == .secretReplaced, .signedSecret where self.simulatedFailure == .secretReplaced:
      throw Rejection(.wrongSecret)
    case .required where basic == nil && form["client_secret"] == nil: throw Rejection(.missingSecret)
    case .required(let secret, let placements):
      // A client must not use more than one method (RFC 6749 §2.3).
      guard basic == nil || form["client_secret"] == nil else { throw Rejection(.wrongSecret) }
      guard placements.contains(basic == nil ? .form : .header), (basic?.secret ?? form["client_secret"]) == secret else {
        throw Rejection(.wrongSecret)
      }
    case .signedSecret(let accepts):
      guard basic == nil, accepts(form["client_secret"] ?? "") else { throw Rejection(.wrongSecret) }
    }
  }

  private func basicCredentials(_ request: HTTPRequest) throws(Rejection) -> (id: String, secret: String)? {
    guard let value = request.headerFields[.authorization] else { return nil }
    guard value.hasPrefix("Basic "), let data = Data(base64Encoded: String(value.dropFirst(6))) else {
      throw Rejection(.wrongSecret)
    }
    let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }
}
