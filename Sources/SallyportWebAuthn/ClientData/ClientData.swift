import Crypto
import SallyportProtocol

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the browser says about a ceremony, which is a registration or an authentication (WebAuthn L3 §5.8.1).
package struct ClientData: Sendable {
  private let members: Members
  /// The SHA-256 hash of the JSON, which signatures cover.
  package let hash: [UInt8]

  private struct Members: Decodable {
    let type: String
    let challenge: String
    let origin: String
    let crossOrigin: Bool?
    let topOrigin: String?
  }

  /// Parses JSON in UTF-8. Unknown members are ignored, because browsers add some (WebAuthn L3 §5.8.1).
  /// - Throws: ``WebAuthnError/valueTooLong``, ``WebAuthnError/malformedClientData``
  package init(json: [UInt8]) throws(WebAuthnError) {
    guard json.count <= WebAuthnLimits.clientData else { throw .valueTooLong }
    // The specification requires `UTF-8 decode`, which removes a byte order mark.
    let text = json.starts(with: [0xEF, 0xBB, 0xBF]) ? json.dropFirst(3) : json[...]
    guard let members = StrictJSON.decode(Members.self, text) else { throw .malformedClientData }
    self.members = members
    self.hash = Array(SHA256.digest(of: json))
  }

  /// Checks the members (WebAuthn L3 §7.1 steps 7 to 11, §7.2 steps 10 to 14).
  /// - Throws: ``WebAuthnError/ceremonyMismatch``, ``WebAuthnError/challengeMismatch``,
  ///   ``WebAuthnError/originMismatch``, ``WebAuthnError/crossOrigin``
  func check(_ ceremony: Ceremony, challenge: [UInt8], origins: [String]) throws(WebAuthnError) {
    let (type, origin) = (self.members.type.utf8, self.members.origin.utf8)
    // `==` of strings would ignore differences in Unicode normalization.
    guard type.elementsEqual(ceremony.rawValue.utf8) else { throw .ceremonyMismatch }
    guard !challenge.isEmpty, constantTimeEqual(self.members.challenge.utf8, Base64URL.encode(challenge).utf8)
    else { throw .challengeMismatch }
    guard origins.contains(where: { $0.utf8.elementsEqual(origin) }) else { throw .originMismatch }
    guard self.members.crossOrigin != true, self.members.topOrigin == nil else { throw .crossOrigin }
  }
}
