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
    return OpaqueToken(kind: kind, text: Secret(body + self.checksum(of: body)))
  }

  /// A token as presented.
  /// - Returns: nil unless prefix, length and checksum are those of a token of this kind.
  package init?(_ kind: Kind, _ text: String) {
    guard text.hasPrefix(kind.rawValue), text.utf8.count == kind.rawValue.utf8.count + 43 + 6 else { return nil }
    guard Self.checksum(of: text.dropLast(6)) == text.suffix(6) else { return nil }
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

  private static func checksum(of body: some StringProtocol) -> String {
    Base64URL.encode(SHA256.hash(data: Array(body.utf8)).prefix(4))
  }
}

extension Fingerprint {
  /// The SHA-256 of a credential's text.
  package init(of text: Secret<String>) {
    self.init(bytes: Array(SHA256.hash(data: Array(text.reveal().utf8))))
  }
}
