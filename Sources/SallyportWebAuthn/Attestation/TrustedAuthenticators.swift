import SwiftASN1
import X509

/// The authenticators that a relying party allows.
package struct TrustedAuthenticators: Sendable {
  /// The identifiers of the allowed models.
  package let aaguids: Set<AAGUID>
  let roots: [Certificate]

  /// Creates a list of authenticators.
  /// - Parameters:
  ///   - aaguids: The identifiers of the allowed models.
  ///   - roots: The root certificates of their manufacturers in DER.
  /// - Returns: `nil` if a certificate is malformed.
  package init?(aaguids: Set<AAGUID>, roots: [[UInt8]]) {
    self.aaguids = aaguids
    guard let roots = try? roots.map({ try Certificate(derEncoded: $0) }) else { return nil }
    self.roots = roots
  }
}
