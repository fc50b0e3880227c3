import SallyportProtocol

/// Untrusted base64url text.
struct Base64URLText {
  private let text: String

  init(_ text: String) {
    self.text = text
  }

  /// Decodes the text. A text that is too long is not decoded.
  /// - Parameter limit: The maximum number of decoded bytes.
  /// - Throws: ``WebAuthnError/valueTooLong``, ``WebAuthnError/malformedResponse``
  func decoded(atMost limit: Int) throws(WebAuthnError) -> [UInt8] {
    guard self.text.utf8.count <= (limit * 4 + 2) / 3 else { throw .valueTooLong }
    guard let bytes = Base64URL.decode(self.text) else { throw .malformedResponse }
    return bytes
  }
}
