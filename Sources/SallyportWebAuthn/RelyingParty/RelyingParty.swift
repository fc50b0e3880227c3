import Crypto
import SallyportProtocol

/// A website that registers credentials and authenticates users with them (WebAuthn L3 §4, "WebAuthn Relying Party").
///
/// ``verifyRegistration(_:challenge:userVerification:attestation:at:)`` verifies new credentials, and
/// ``verifyAuthentication(_:challenge:userVerification:credential:)`` verifies assertions. The caller stores challenges
/// and credentials, and ensures that a challenge is used only once.
package struct RelyingParty: Hashable, Sendable {
  /// The relying party ID: a domain to which credentials are bound.
  package let id: String
  /// The origins whose responses are accepted, as browsers write them.
  package let origins: [String]
  /// The SHA-256 hash of the ID.
  let idHash: [UInt8]

  /// Creates a relying party.
  /// - Parameters:
  ///   - id: The relying party ID: a domain name in lowercase.
  ///   - origins: Origins whose host is the ID or a subdomain of it: `https` origins, or `http://localhost` with any
  ///     port.
  ///   - relatedOrigins: Other origins whose pages can use the credentials in browsers, because `/.well-known/webauthn`
  ///     lists them (WebAuthn L3 §5.11). They are validated here, but not stored: this relying party does not accept
  ///     responses from those pages.
  /// - Throws: ``RelyingPartyError``
  package init(id: String, origins: [String], relatedOrigins: [String] = []) throws(RelyingPartyError) {
    guard DomainName.isValidRelyingPartyID(id) else { throw .invalidID(id) }
    guard !origins.isEmpty else { throw .noOrigin }
    for text in origins {
      guard let origin = WebOrigin(text) else { throw .invalidOrigin(text) }
      guard DomainName.isHostOrParent(id, of: origin.host) else { throw .originOutsideID(text, id: id) }
    }
    for text in relatedOrigins where WebOrigin(text) == nil { throw .invalidOrigin(text) }
    self.id = id
    self.origins = origins
    self.idHash = Array(SHA256.digest(of: Array(id.utf8)))
  }
}
