package import SallyportProtocol

/// A refresh token, RFC 6749 §1.5: an ``OpaqueToken`` that also says which of its grant's tokens it is, so that the store finds it beside
/// those before it. This name is no secret and proves nothing.
package struct RefreshToken: Sendable {
  /// What proves it, and all that the store keeps a fingerprint of.
  package let secret: OpaqueToken
  /// Nil for a token that was issued before they had names. It stays valid, and is replaced by one with a name.
  package let id: RefreshTokenID?

  package init(_ secret: OpaqueToken, _ id: RefreshTokenID) {
    self.secret = secret
    self.id = id
  }

  /// A token as presented.
  /// - Returns: nil for a text that this server cannot have issued.
  package init?(_ text: String) {
    guard let (secret, name) = OpaqueToken.named(.refreshToken, text) else { return nil }
    self.secret = secret
    guard let name else {
      self.id = nil
      return
    }
    guard let end = name.utf8.firstIndex(of: Self.separator) else { return nil }
    let (grant, number) = (name[..<end], name[name.utf8.index(after: end)...])
    guard !grant.isEmpty, let value = Int64(number), String(value) == number else { return nil }
    self.id = RefreshTokenID(grant: GrantID(rawValue: String(grant)), number: value)
  }

  /// What the app gets.
  package var text: Secret<String> {
    guard let id else { return self.secret.text }
    return self.secret.text(named: "\(id.grant.rawValue)~\(id.number)")
  }

  /// What the store keeps of it.
  package var fingerprint: Fingerprint { self.secret.fingerprint }

  /// No second dot, or it would look like a JWT.
  private static var separator: UInt8 { UInt8(ascii: "~") }
}

extension RefreshTokenRecord {
  /// A token of a grant that is issued now.
  init(
    _ id: RefreshTokenID, _ fingerprint: Fingerprint, of grant: GrantRecord, _ lifetimes: Lifetimes, at now: Timestamp
  ) {
    self.init(
      id: id, fingerprint: fingerprint, issuedAt: now, expiresAt: min(now + lifetimes.refreshTokenIdle, grant.expiresAt))
  }
}

extension StoreSnapshot {
  /// A token with what it stands for, also when it has ended.
  package func refreshToken(_ token: RefreshToken) throws(StoreError) -> Granted<RefreshTokenRecord>? {
    try self.refreshToken(token.fingerprint, token.id)
  }
}
