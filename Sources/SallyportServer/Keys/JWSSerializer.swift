package import SallyportProtocol

/// Signs compact JWS (RFC 7515 §7.1) with one key.
///
/// JWTKit is not used here, because signing dominates the token endpoint and JWTKit takes about twice as long for a
/// token (see `docs/performance.md`). The headers are encoded once per key.
package struct JWSSerializer: Sendable {
  package let key: SigningKey
  /// The encoded header for each ``TokenType``, by its raw value.
  private let headers: [String: String]

  /// The `typ` values: RFC 9068 §2.1 for access tokens, OpenID Connect Back-Channel Logout §2.4 for logout tokens.
  package enum TokenType: String, Sendable, CaseIterable {
    case accessToken = "at+jwt"
    case idToken = "JWT"
    case logoutToken = "logout+jwt"
  }

  package init(key: SigningKey) throws {
    self.key = key
    self.headers = try Dictionary(
      uniqueKeysWithValues: TokenType.allCases.map { type in
        let header = ["alg": key.algorithm.rawValue, "kid": key.id, "typ": type.rawValue]
        return (type.rawValue, Base64URL.encode(try WireJSON.encode(header)))
      })
  }

  package func sign(_ claims: some Encodable, as type: TokenType) throws -> Secret<String> {
    try self.sign(payload: try WireJSON.encode(claims), as: type)
  }

  package func sign(_ claims: some WireObject, as type: TokenType) throws -> Secret<String> {
    try self.sign(payload: WireJSON.encode(claims), as: type)
  }

  private func sign(payload: [UInt8], as type: TokenType) throws -> Secret<String> {
    try JWSCompact.sign(header: self.headers[type.rawValue, default: ""], payload: Base64URL.encode(payload)) { bytes in
      try self.key.signature(for: bytes)
    }
  }
}
