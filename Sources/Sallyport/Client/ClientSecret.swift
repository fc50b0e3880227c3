public import SallyportProtocol
public import SallyportRemote

/// The client secret that a server requires from an app.
///
/// A native app cannot keep a secret (RFC 8252 §8.5). Omit the secret if the client can be registered as a public
/// client. PKCE and all other checks apply with a secret too.
///
/// ```swift
/// let secret = ClientSecret.provided {
///   // The app's own server signs the secret.
///   let request = HTTPRequest(method: .get, scheme: "https", authority: "api.contoso.com", path: "/client-secret")
///   let response = try await transport.send(request, body: [], limits: TransferLimits())
///   return Secret(String(decoding: response.body, as: UTF8.self))
/// }
/// ```
public struct ClientSecret: Sendable {
  enum Source: Sendable {
    case shared(Secret<String>)
    case provided(@Sendable () async throws -> Secret<String>)
    case signed(ClientAssertionKey, issuer: String)
  }

  let source: Source

  /// A secret that every installation of the app contains.
  ///
  /// Everyone who has the app can read the secret, so the secret doesn't authenticate the app (RFC 8252 §8.5). Each
  /// sign-in that sends it reports ``SignInProgress/sendingSharedSecret``.
  public static func insecureShared(_ secret: Secret<String>) -> ClientSecret {
    ClientSecret(source: .shared(secret))
  }

  /// A secret that the app gets when a request needs it, for example from the app's own server.
  ///
  /// A secret that is a JWT with `exp` is used again until one minute before it expires. Otherwise, `provide` is called
  /// for each request, except that concurrent requests share one call. `provide` is also called again after the server
  /// has rejected the secret.
  /// - Parameter provide: Returns the secret. If it throws, the request isn't sent, and the sign-in or the refresh
  ///   fails with `ClientSecretError.notProvided(reason:)`.
  public static func provided(by provide: @escaping @Sendable () async throws -> Secret<String>) -> ClientSecret {
    ClientSecret(source: .provided(provide))
  }

  /// A JWT that the client signs for each request with `ES256`, as Apple requires.
  ///
  /// Use this kind of secret only on machines of the key's owner: in servers, for development, and for tests. Everyone
  /// who has an installation with the key can sign secrets for all clients of the key's owner, until the owner replaces
  /// the key.
  ///
  /// The JWT is valid for five minutes. Its subject is the client identifier, and its audience is the server's issuer.
  /// - Parameters:
  ///   - privateKey: The P-256 private key as PEM (RFC 7468). Apple calls this file `AuthKey_….p8`.
  ///   - keyID: The key's identifier at the server (`kid`).
  ///   - issuer: The key's owner (`iss`). For Apple, this is the identifier of the team.
  /// - Throws: `ClientSecretError.keyMalformed`
  public static func insecureSignedJWT(
    privateKey: Secret<String>, keyID: String, issuer: String
  ) throws(ClientSecretError) -> ClientSecret {
    guard let key = ClientAssertionKey(id: keyID, pem: privateKey) else { throw .keyMalformed }
    return ClientSecret(source: .signed(key, issuer: issuer))
  }

  /// Whether every installation has the secret, or the key that signs it.
  var isShared: Bool {
    if case .provided = self.source { return false }
    return true
  }
}
