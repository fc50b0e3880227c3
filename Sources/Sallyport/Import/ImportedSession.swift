#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol

/// A session that another library stored. Pass it to ``OAuthClient/importSession(_:)``.
///
/// ```swift
/// if let archive = UserDefaults.standard.data(forKey: "authState") {
///   let session = try await client.importSession(ImportedSession(appAuthArchive: archive))
///   UserDefaults.standard.removeObject(forKey: "authState")
/// }
/// ```
public struct ImportedSession: Sendable {
  /// The refresh token.
  public var refreshToken: Secret<String>
  /// The scope that was granted.
  public var scope: Scope
  /// The last ID token. If it is set, an ID token that the server returns must be for the same user. The server may
  /// also return no ID token.
  public var idToken: Secret<String>?
  /// The APIs that the tokens are for (RFC 8707), if the sign-in named any.
  public var resources: [ResourceIndicator]
  /// The client identifier that the tokens were issued to, or `nil` if it is unknown.
  public var clientID: String?
  /// The issuer of the tokens, or `nil` if it is unknown.
  public var issuer: String?
  /// The token endpoint that issued the tokens, or `nil` if it is unknown. Checked only if ``issuer`` is `nil`.
  public var tokenEndpoint: String?

  /// Creates a session from a refresh token. The properties with the same names describe the parameters.
  public init(
    refreshToken: Secret<String>, scope: Scope, idToken: Secret<String>? = nil, resources: [ResourceIndicator] = []
  ) {
    self.refreshToken = refreshToken
    self.scope = scope
    self.idToken = idToken
    self.resources = resources
  }

  /// Reads an `OIDAuthState` of AppAuth for iOS and macOS that was archived with `NSKeyedArchiver`.
  ///
  /// Only these members become properties:
  ///
  /// | AppAuth | here |
  /// |---|---|
  /// | `refreshToken` | ``refreshToken`` |
  /// | `scope`, or the scope of `lastAuthorizationResponse.request` | ``scope`` |
  /// | `lastTokenResponse.id_token`, or `lastAuthorizationResponse.id_token` | ``idToken`` |
  /// | `lastAuthorizationResponse.request.client_id` | ``clientID`` |
  /// | `lastAuthorizationResponse.request.configuration.issuer` | ``issuer`` |
  /// | `lastAuthorizationResponse.request.configuration.tokenEndpoint` | ``tokenEndpoint`` |
  ///
  /// The access token is not used, because the import requests a new one.
  /// - Parameter archive: The binary property list that `NSKeyedArchiver` created.
  /// - Throws: ``SessionImportError/malformed`` or ``SessionImportError/signedOut``
  public init(appAuthArchive archive: Data) throws(SessionImportError) {
    guard let state = KeyedArchive(Array(archive))?.root, state.classes.contains("OIDAuthState") else { throw .malformed }
    guard state["authorizationError"] == nil, let refreshToken = state.text("refreshToken"), !refreshToken.isEmpty else {
      throw .signedOut
    }
    let authorization = state["lastAuthorizationResponse"]
    let request = authorization?["request"]
    guard let scope = Scope(state.text("scope") ?? request?.text("scope") ?? "") else { throw .malformed }
    let idToken = state["lastTokenResponse"]?.text("id_token") ?? authorization?.text("id_token")
    self.init(refreshToken: Secret(refreshToken), scope: scope, idToken: idToken.map { Secret($0) })
    self.clientID = request?.text("client_id")
    self.issuer = request?["configuration"]?.url("issuer")
    self.tokenEndpoint = request?["configuration"]?.url("tokenEndpoint")
  }
}

/// Why a session could not be imported. The other library's session remains valid, unless the server has already
/// replaced its refresh token.
public enum SessionImportError: Error, Equatable, Sendable {
  /// The data is not an archived `OIDAuthState` in binary form, or its scope is invalid.
  case malformed
  /// The archived state has no refresh token, or contains an error that ended the session.
  case signedOut
  /// The tokens were issued to another client.
  case clientMismatch
  /// The tokens were issued by another server.
  case issuerMismatch
  /// The server returned an ID token for another user.
  case subjectMismatch
  /// The client requires DPoP, but the server's metadata does not offer DPoP with `ES256` (RFC 9449 §5.1).
  case dpopNotOffered
  /// The import failed for another reason, for example because the server rejected the refresh token, or because the
  /// new tokens could not be stored.
  case session(SessionError)
}
