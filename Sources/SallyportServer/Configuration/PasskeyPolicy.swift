import SallyportProtocol
package import SallyportWebAuthn

/// How users can sign in with passkeys.
public struct PasskeyPolicy: Sendable {
  /// The RP ID: the issuer's host, or a domain that contains it. It is stored with each passkey, and a passkey cannot be used
  /// with another one. Nil for the issuer's host.
  public var relyingPartyID: String?
  /// Other origins that may use the passkeys, which `/.well-known/webauthn` lists (Web Authentication Level 3 §5.11).
  public var relatedOrigins: [String] = []

  public init() {}
}

extension ServerConfiguration {
  /// The relying party of passkeys; nil if they cannot be used, for example because the issuer's host is an IP address.
  package var relyingParty: RelyingParty? {
    guard let passkeys = self.passkeys else { return nil }
    return try? RelyingParty(
      id: passkeys.relyingPartyID ?? self.issuer.host, origins: [self.issuer.origin], relatedOrigins: passkeys.relatedOrigins)
  }

  /// The `acr` values that the server offers.
  var authenticationContexts: [String] {
    var levels = [AuthenticationContext.Level.password]
    if self.relyingParty != nil { levels.append(.phishingResistant) }
    return levels.map(\.rawValue)
  }
}
