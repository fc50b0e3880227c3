/// A successful answer of the token endpoint, RFC 6749 §5.1 with `id_token` of OpenID Connect Core §3.1.3.3.
public struct TokenResponse: Sendable {
  public var accessToken: Secret<String>
  /// As written; ``type`` is what it means.
  public var tokenType: String
  /// The access token's life time in seconds.
  public var expiresIn: Int?
  public var refreshToken: Secret<String>?
  /// The granted scope, where it is told.
  public var scope: Scope?
  public var idToken: Secret<String>?

  public init(
    accessToken: Secret<String>, tokenType: String = "Bearer", expiresIn: Int?, refreshToken: Secret<String>? = nil,
    scope: Scope? = nil, idToken: Secret<String>? = nil
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.expiresIn = expiresIn
    self.refreshToken = refreshToken
    self.scope = scope
    self.idToken = idToken
  }
}

extension TokenResponse {
  /// The token's type, whose name has no case (RFC 6749 §5.1); nil for one that is not known here.
  public var type: TokenType? { TokenType(rawValue: self.tokenType.lowercased()) }
}

/// What it takes to use an access token.
public enum TokenType: String, Sendable, Codable {
  /// To have it, RFC 6750.
  case bearer
  /// To have the key as well, RFC 9449.
  case dpop

  /// The authentication scheme, RFC 6750 §2.1 and RFC 9449 §7.1, which is also the `token_type`.
  public var scheme: String {
    switch self {
    case .bearer: "Bearer"
    case .dpop: "DPoP"
    }
  }
}

/// The JSON of a ``TokenResponse``: the one place where its secrets are written down.
package struct TokenResponseJSON: Codable {
  package var accessToken: String
  package var tokenType: String
  package var expiresIn: Int?
  package var refreshToken: String?
  package var scope: String?
  package var idToken: String?

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case scope
    case idToken = "id_token"
  }

  package init(_ response: TokenResponse) {
    self.accessToken = response.accessToken.reveal()
    self.tokenType = response.tokenType
    self.expiresIn = response.expiresIn
    self.refreshToken = response.refreshToken?.reveal()
    self.scope = response.scope?.description
    self.idToken = response.idToken?.reveal()
  }

  package var response: TokenResponse {
    TokenResponse(
      accessToken: Secret(self.accessToken), tokenType: self.tokenType, expiresIn: self.expiresIn,
      refreshToken: self.refreshToken.map(Secret.init), scope: self.scope.flatMap { Scope($0) },
      idToken: self.idToken.map(Secret.init))
  }
}

/// An error answer of the token endpoint, RFC 6749 §5.2.
package struct OAuthErrorJSON: Codable, Sendable {
  package var error: String
  package var errorDescription: String?

  package init(error: OAuthErrorCode, description: String?) {
    self.error = error.description
    self.errorDescription = description
  }

  private enum CodingKeys: String, CodingKey {
    case error
    case errorDescription = "error_description"
  }
}
