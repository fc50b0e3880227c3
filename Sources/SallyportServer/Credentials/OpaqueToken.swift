import Crypto
package import SallyportProtocol

/// A credential that means nothing to its bearer: 256 random bits with a prefix by which secret scanners know it, and a checksum
/// by which a mistyped or invented one is refused without a look into the store.
package struct OpaqueToken: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case authorizationCode = "slp_ac_"
    case refreshToken = "slp_rt_"
    case browserSession = "slp_bs_"
    case deviceCode = "slp_dc_"
    case pushedRequest = "slp_pr_"
    /// With it somebody may register clients, RFC 7591 §1.2.
    case initialAccess = "slp_ia_"
    /// With it a client manages its registration, RFC 7592 §3.
    case registration = "slp_ra_"
  }

  package let kind: Kind
  package let text: Secret<String>

  /// A new token.
  package static func random(_ kind: Kind) -> OpaqueToken {
    let body = kind.rawValue + RandomText.base64URL(bits: 256)
    return OpaqueToken(kind: kind, text: Secret(body + self.checksum(of: Array(body.utf8)[...])))
  }

  /// A token as presented.
  /// - Returns: nil unless prefix, length and checksum are those of a token of this kind.
  package init?(_ kind: Kind, _ text: String) {
    let (bytes, prefix) = (Array(text.utf8), kind.rawValue.utf8)
    guard bytes.count == prefix.count + 43 + 6, bytes.starts(with: prefix) else { return nil }
    guard bytes.suffix(6).elementsEqual(Self.checksum(of: bytes.dropLast(6)).utf8) else { return nil }
    self.init(kind: kind, text: Secret(text))
  }

  private init(kind: Kind, text: Secret<String>) {
    self.kind = kind
    self.text = text
  }

  /// What the store keeps of it.
  package var fingerprint: Fingerprint {
    Fingerprint(of: self.text)
  }

  private static func checksum(of body: ArraySlice<UInt8>) -> String {
    Base64URL.encode(SHA256.hash(data: body).withUnsafeBytes { Array($0.prefix(4)) })
  }
}

/// Tokens that also say where the store has them.
extension OpaqueToken {
  static var separator: UInt8 { UInt8(ascii: ".") }
  /// Bytes. Those of this server have 55 at most.
  private static var longestName: Int { 64 }

  /// The token with a name behind it.
  func text(named name: String) -> Secret<String> {
    Secret("\(self.text.reveal()).\(name)")
  }

  /// A token as presented, and its name where it has one.
  /// - Returns: nil unless the token is one of this kind and its name neither empty nor longer than any.
  static func named(_ kind: Kind, _ text: String) -> (token: OpaqueToken, name: Substring?)? {
    guard let end = text.utf8.firstIndex(of: self.separator) else { return OpaqueToken(kind, text).map { ($0, nil) } }
    let name = text[text.utf8.index(after: end)...]
    guard !name.isEmpty, name.utf8.count <= self.longestName, let token = OpaqueToken(kind, String(text[..<end]))
    else { return nil }
    return (token, name)
  }
}

extension Fingerprint {
  /// The SHA-256 of a credential's text.
  package init(of text: Secret<String>) {
    self.init(bytes: SHA256.digest(of: Array(text.reveal().utf8)).withUnsafeBytes { Array($0) })
  }
}
