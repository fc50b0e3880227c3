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

extension FakeAuthorizationServer {
  func token(_ form: FormParameters) -> TransportResponse {
    switch form["grant_type"] {
    case "authorization_code": self.exchange(form)
    case "refresh_token": self.refresh(form)
    default: self.error(.unsupportedGrantType)
    }
  }

  private func exchange(_ form: FormParameters) -> TransportResponse {
    guard let request = self.state.withLock({ $0.codes.removeValue(forKey: form["code"] ?? "") }),
      form["redirect_uri"] == request["redirect_uri"], form["client_id"] == request["client_id"],
      let verifier = try? CodeVerifier(form["code_verifier"] ?? ""), verifier.challenge == (try? self.challenge(of: request))
    else { return self.error(.invalidGrant) }
    let grant = self.grant(
      clientID: request["client_id"] ?? "", scope: Scope(request["scope"] ?? "") ?? Scope([]), nonce: request["nonce"])
    return self.response(for: grant)
  }

  private func refresh(_ form: FormParameters) -> TransportResponse {
    switch self.refreshes {
    // If the device is offline, `send` has already thrown an error.
    case .succeed, .offline: break
    case .unavailable: return TransportResponse(head: HTTPResponse(status: .serviceUnavailable), body: [])
    case .fail(let code): return self.error(code)
    }
    let (access, refresh) = (self.unique("access"), self.unique("refresh"))
    let grant = self.state.withLock { state -> FakeGrant? in
      let index = state.grants.firstIndex { $0.refreshToken == form["refresh_token"] && $0.clientID == form["client_id"] }
      // A request without a refresh token would match a grant that has none.
      guard let index, form["refresh_token"] != nil else { return nil }
      state.grants[index].accessToken = access
      state.grants[index].expirations[access] = state.now + state.tokenLifetime
      state.grants[index].refreshToken = refresh
      return state.grants[index]
    }
    return grant.map(self.response(for:)) ?? self.error(.invalidGrant)
  }

  /// Records that the user allows a request, and issues the first tokens.
  func grant(clientID: String, scope: Scope, nonce: String?) -> FakeGrant {
    let (access, refresh) = (self.unique("access"), self.unique("refresh"))
    return self.state.withLock { state in
      let grant = FakeGrant(
        clientID: clientID, scope: scope, nonce: nonce, accessToken: access,
        expirations: [access: state.now + state.tokenLifetime],
        refreshToken: scope.contains(.offlineAccess) ? refresh : nil)
      state.grants.append(grant)
      return grant
    }
  }

  private func response(for grant: FakeGrant) -> TransportResponse {
    var members: JSONValue = [
      "access_token": .string(grant.accessToken), "token_type": "Bearer", "scope": .string("\(grant.scope)"),
      "expires_in": .integer(self.tokenLifetime.components.seconds),
    ]
    members["refresh_token"] = grant.refreshToken.map { .string($0) }
    if grant.scope.contains(.openID) { members["id_token"] = .string(self.idToken(for: grant).reveal()) }
    return self.json(members)
  }

  // MARK: ID tokens

  /// Returns a signed ID token.
  func idToken(for grant: FakeGrant) -> Secret<String> {
    JWSCompact.sign(
      header: self.encode(["alg": "ES256", "kid": "1", "typ": "JWT"]), payload: self.encode(self.idTokenClaims(for: grant))
    ) { bytes in
      // Signing fails only if the random number generator fails. The SDK then rejects the token.
      (try? Array(self.key.signature(for: bytes).rawRepresentation)) ?? []
    }
  }

  private func idTokenClaims(for grant: FakeGrant) -> JSONValue {
    let (claims, now) = self.state.withLock { ($0.claims, $0.now.seconds) }
    var protocolClaims: [String: JSONValue] = [
      "iss": .string(self.issuer.value), "aud": .string(grant.clientID), "iat": .integer(now), "exp": .integer(now + 300),
    ]
    protocolClaims["nonce"] = grant.nonce.map { .string($0) }
    return .object(claims.merging(protocolClaims) { _, new in new })
  }

  var jwk: JSONValue {
    let point = self.key.publicKey.rawRepresentation
    return [
      "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1",
      "x": .string(Base64URL.encode(point.prefix(32))), "y": .string(Base64URL.encode(point.suffix(32))),
    ]
  }

  private func encode(_ value: JSONValue) -> String {
    // Encoding fails only if a claim is `nan` or infinite, which JSON cannot represent.
    Base64URL.encode((try? JSONEncoder().encode(value)) ?? Data())
  }
}
