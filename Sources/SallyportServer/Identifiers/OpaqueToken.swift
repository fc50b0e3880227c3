import Crypto
package import SallyportProtocol

/// An opaque credential: 256 random bits with a prefix and a checksum.
///
/// Secret scanners recognize the prefix. The checksum lets the server reject mistyped and most made-up tokens without
/// reading the store.
package struct OpaqueToken: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case authorizationCode = "slp_ac_"
    case refreshToken = "slp_rt_"
    case browserSession = "slp_bs_"
    case deviceCode = "slp_dc_"
    case pushedRequest = "slp_pr_"
    /// An initial access token, which authorizes client registration (RFC 7591 §1.2).
    case initialAccess = "slp_ia_"
    /// A registration access token, with which a client manages its registration (RFC 7592 §3).
    case registration = "slp_ra_"
    /// The token of a one-time link (``AccountLinkRecord``).
    case accountLink = "slp_al_"
    /// The token of a link for sign-up (``SignUpRecord``).
    case signUp = "slp_su_"
  }

  package let kind: Kind
  package let text: Secret<String>

  /// Returns a new token.
  package static func random(_ kind: Kind) -> OpaqueToken {
    let body = kind.rawValue + RandomText.base64URL(bits: 256)
    return OpaqueToken(kind: kind, text: Secret(body + self.checksum(of: Array(body.utf8)[...])))
  }

  /// Parses a token from a request.
  /// - Returns: Nil unless the prefix, length, and checksum are valid for this kind.
  package init?(_ kind: Kind, _ text: String) {
    // In base64url, the random bits take 43 characters, and the checksum takes 6.
    let (bytes, prefix) = (Array(text.utf8), kind.rawValue.utf8)
    guard bytes.count == prefix.count + 43 + 6, bytes.starts(with: prefix) else { return nil }
    guard bytes.suffix(6).elementsEqual(Self.checksum(of: bytes.dropLast(6)).utf8) else { return nil }
    self.init(kind: kind, text: Secret(text))
  }

  private init(kind: Kind, text: Secret<String>) {
    self.kind = kind
    self.text = text
  }

  /// The fingerprint under which the store keeps the token.
  package var fingerprint: Fingerprint {
    Fingerprint(of: self.text)
  }

  private static func checksum(of body: ArraySlice<UInt8>) -> String {
    Base64URL.encode(SHA256.hash(data: body).withUnsafeBytes { Array($0.prefix(4)) })
  }
}

// An authorization code or refresh token consists of an opaque token, a period, and a name: the grant's identifier and,
// for a refresh token, also the token's number. The store finds the row by this name. Refresh tokens of older versions
// have no name.
extension OpaqueToken {
  static var separator: UInt8 { UInt8(ascii: ".") }
  /// The maximum length of a name in bytes. The names that this server issues have at most 58 bytes.
  private static var longestName: Int { 64 }

  /// Returns the token followed by a period and a name.
  func text(named name: String) -> Secret<String> {
    Secret("\(self.text.reveal()).\(name)")
  }

  /// Parses a token and its name, if it has one.
  /// - Returns: Nil if the token is not of this kind, or if its name is empty or too long.
  static func parse(_ kind: Kind, _ text: String) -> (token: OpaqueToken, name: Substring?)? {
    guard let end = text.utf8.firstIndex(of: self.separator) else { return OpaqueToken(kind, text).map { ($0, nil) } }
    let name = text[text.utf8.index(after: end)...]
    guard !name.isEmpty, name.utf8.count <= self.longestName, let token = OpaqueToken(kind, String(text[..<end]))
    else { return nil }
    return (token, name)
  }
}

extension Fingerprint {
  /// Creates the SHA-256 fingerprint of a credential.
  package init(of text: Secret<String>) {
    self.init(bytes: SHA256.digest(of: Array(text.reveal().utf8)).withUnsafeBytes { Array($0) })
  }
}
