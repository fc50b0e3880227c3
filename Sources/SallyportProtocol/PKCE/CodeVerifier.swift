import Crypto

/// A PKCE code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1).
package struct CodeVerifier: Sendable {
  /// The text of the verifier. Send it only to the token endpoint.
  package let text: Secret<String>

  private init(unchecked text: String) {
    self.text = Secret(text)
  }

  /// Creates a verifier with 256 bits from the system's random number generator.
  package static func random() -> CodeVerifier {
    CodeVerifier(unchecked: RandomText.base64URL(bits: 256))
  }

  /// Creates a verifier that was received or stored.
  /// - Throws: ``PKCEError/verifierMalformed`` if the text does not consist of 43 to 128 characters of `A-Z a-z 0-9 - .
  ///   _ ~`.
  package init(_ text: String) throws(PKCEError) {
    guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
      throw .verifierMalformed
    }
    self.init(unchecked: text)
  }

  /// The `S256` challenge for this verifier (RFC 7636 §4.2).
  package var challenge: CodeChallenge {
    CodeChallenge(digest: SHA256.hash(data: Array(self.text.reveal().utf8)))
  }
}
