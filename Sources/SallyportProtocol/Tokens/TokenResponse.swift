/// A successful token response (RFC 6749 §5.1), with the `id_token` of OpenID Connect Core §3.1.3.3.
package struct TokenResponse: Sendable {
  /// The access token.
  package var accessToken: Secret<String>
  /// The token type as written. See ``type``.
  package var tokenType: String
  /// The lifetime of the access token in seconds, or `nil` if it is unknown.
  package var expiresIn: Int?
  /// The refresh token, if the server issued one.
  package var refreshToken: Secret<String>?
  /// The granted scope, if the response contains it.
  package var scope: Scope?
  /// The ID token as it was received or issued, if there is one.
  package var idToken: Secret<String>?
  /// All other members of the response. Some servers return further tokens in them.
  package var additional: Secret<[String: JSONValue]> = Secret([:])
  /// The server's time when it sent the response, from the `Date` header field (RFC 9110 §6.6.1).
  package var date: Timestamp?

  /// Creates a response.
  /// - Parameter expiresIn: The lifetime of the access token in seconds.
  package init(
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
  /// The token type, or `nil` if it is unknown. Case does not matter (RFC 6749 §5.1).
  package var type: TokenType? { TokenType(rawValue: self.tokenType.lowercased()) }
}

/// The type of an access token, which determines what a client needs in order to use the token.
package enum TokenType: String, Sendable, Codable {
  /// Only the token (RFC 6750).
  case bearer
  /// The token, and the private key to which the token is bound (RFC 9449).
  case dpop

  /// The authentication scheme (RFC 6750 §2.1, RFC 9449 §7.1), which is also the `token_type`.
  package var scheme: String {
    switch self {
    case .bearer: "Bearer"
    case .dpop: "DPoP"
    }
  }
}

/// The JSON of a ``TokenResponse`` as the server writes it. Only this type encodes the secrets of a response.
package struct TokenResponseJSON: Encodable {
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
}

/// The JSON of an error response (RFC 6749 §5.2).
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
