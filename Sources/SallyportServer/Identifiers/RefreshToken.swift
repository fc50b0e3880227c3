package import SallyportProtocol

/// A refresh token (RFC 6749 §1.5): an ``OpaqueToken`` with its grant and its number within the grant, by which the
/// store finds the token. The grant and the number are not secret.
package struct RefreshToken: Sendable {
  /// The secret part.
  package let secret: OpaqueToken
  /// Nil for a token that an older version issued without an identifier. Such a token stays valid, and its successor
  /// has an identifier.
  package let id: RefreshTokenID?

  package init(_ secret: OpaqueToken, _ id: RefreshTokenID) {
    self.secret = secret
    self.id = id
  }

  /// Parses a refresh token from a request.
  /// - Returns: Nil if this server cannot have issued the token.
  package init?(_ text: String) {
    // `name` is the text after the secret: `GRANT~NUMBER`.
    guard let (secret, name) = OpaqueToken.parse(.refreshToken, text) else { return nil }
    self.secret = secret
    guard let name else {
      self.id = nil
      return
    }
    guard let end = name.utf8.firstIndex(of: Self.separator) else { return nil }
    let (grant, number) = (name[..<end], name[name.utf8.index(after: end)...])
    // `Int64` also parses `+1` and `01`, which this server does not issue.
    guard !grant.isEmpty, let value = Int64(number), String(value) == number else { return nil }
    self.id = RefreshTokenID(grant: GrantID(rawValue: String(grant)), number: value)
  }

  /// The text that the client receives.
  package var text: Secret<String> {
    guard let id else { return self.secret.text }
    return self.secret.text(named: "\(id.grant.rawValue)~\(id.number)")
  }

  /// The fingerprint under which the store keeps the token.
  package var fingerprint: Fingerprint { self.secret.fingerprint }

  /// The character between the grant and the number. It is not a period, because with a second period the token would
  /// look like a JWT.
  private static var separator: UInt8 { UInt8(ascii: "~") }
}
