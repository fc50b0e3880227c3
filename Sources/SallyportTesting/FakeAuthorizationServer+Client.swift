#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import Sallyport
public import SallyportProtocol
import SallyportRemote

extension FakeAuthorizationServer {
  /// Creates a client of this server.
  ///
  /// Two clients that share a store behave like two processes of an app.
  /// - Parameters:
  ///   - id: The client identifier. The server accepts every identifier.
  ///   - store: Where the client stores tokens.
  ///   - tokenOrigins: The URLs whose origins may receive tokens, as for ``OAuthClient``.
  public func client(
    id: String = "app", store: some TokenStore = MemoryTokenStore(), tokenOrigins: [EndpointURL] = []
  ) -> OAuthClient {
    OAuthClient(
      issuer: self.issuer, clientID: id, store: store, transport: self, tokenOrigins: tokenOrigins, now: { self.now })
  }

  /// Returns the session of a user who signed in earlier, without running a sign-in.
  ///
  /// The session is stored, so ``OAuthClient/restoreSession(readOnly:)`` of a client with the same store and identifier
  /// returns it too. Its ID token is signed, but the SDK doesn't verify it, because the SDK trusts stored sessions. The
  /// ID tokens of later refreshes are verified.
  /// - Parameters:
  ///   - clientID: The client identifier.
  ///   - scope: The granted scope. Without `offline_access`, the session cannot be refreshed.
  ///   - store: Where the session is stored.
  ///   - tokenOrigins: The URLs whose origins may receive tokens, as for ``OAuthClient``.
  @discardableResult
  public func session(
    clientID: String = "app", scope: Scope = [.openID, .offlineAccess], store: MemoryTokenStore = MemoryTokenStore(),
    tokenOrigins: [EndpointURL] = []
  ) -> OAuthSession {
    let grant = self.grant(clientID: clientID, scope: scope, nonce: nil)
    var response = TokenResponse(
      accessToken: Secret(grant.accessToken), expiresIn: Int(self.tokenLifetime.components.seconds),
      refreshToken: grant.refreshToken.map { Secret($0) }, scope: scope)
    let idToken = scope.contains(.openID) ? self.idToken(for: grant) : nil
    response.idToken = idToken
    let claims = idToken.flatMap { try? JWSCompact($0.reveal()) }.flatMap {
      try? JSONDecoder().decode(IDTokenClaims.self, from: Data($0.payload))
    }
    let tokenSet = TokenSet(
      issuer: self.issuer, clientID: clientID, requestedScope: scope, response: response, claims: claims,
      requestedAt: Timestamp(self.now))
    let client = self.client(id: clientID, store: store, tokenOrigins: tokenOrigins)
    store.add(tokenSet)
    return OAuthSession(client: client, tokenSet: tokenSet)
  }
}
