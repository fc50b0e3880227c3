import SallyportProtocol
package import SallyportWebAuthn

/// How users can sign in with passkeys.
public struct PasskeyPolicy: Sendable {
  /// The RP ID: the issuer's host, or a domain that contains it. It is stored with each passkey, and a passkey cannot
  /// be used with another RP ID. Nil for the issuer's host.
  public var relyingPartyID: String?
  /// Other origins whose pages may use the passkeys. `/.well-known/webauthn` lists them for browsers (Web
  /// Authentication Level 3 §5.11). The server itself accepts only responses that a page of the issuer's origin
  /// obtained: otherwise, a script on another origin could obtain a response and sign in with it.
  public var relatedOrigins: [String] = []
  /// The authenticators that users may register.
  package var attestation = AttestationPolicy.none

  public init() {}
}

extension ServerConfiguration {
  /// The relying party of passkeys; nil if they cannot be used, for example because the issuer's host is an IP address.
  package var relyingParty: RelyingParty? {
    guard let passkeys = self.passkeys else { return nil }
    return try? self.relyingParty(of: passkeys)
  }

  /// Returns the relying party for a policy.
  /// - Throws: ``RelyingPartyError`` if a value is invalid, or does not fit the issuer.
  package func relyingParty(of policy: PasskeyPolicy) throws(RelyingPartyError) -> RelyingParty {
    try RelyingParty(
      id: policy.relyingPartyID ?? self.issuer.host, origins: [self.issuer.origin], relatedOrigins: policy.relatedOrigins)
  }
}
