/// The members that the browser's response to a registration and its response to an authentication have in common
/// (WebAuthn L3 §5.1.8). Unknown members are ignored.
struct CredentialJSON<Response: Decodable & Sendable>: Decodable, Sendable {
  private let id: String
  private let rawId: String
  private let type: String
  let response: Response

  /// - Throws: ``WebAuthnError/malformedResponse``, ``WebAuthnError/valueTooLong``
  init(_ json: [UInt8]) throws(WebAuthnError) {
    guard json.count <= WebAuthnLimits.response else { throw .valueTooLong }
    guard let value = StrictJSON.decode(Self.self, json) else { throw .malformedResponse }
    self = value
  }

  /// The credential ID, which both `id` and `rawId` contain.
  /// - Throws: ``WebAuthnError/unsupportedCredentialType``, ``WebAuthnError/credentialIDMismatch``,
  ///   ``WebAuthnError/malformedResponse``, ``WebAuthnError/valueTooLong``
  func credentialID() throws(WebAuthnError) -> [UInt8] {
    guard self.type.utf8.elementsEqual("public-key".utf8) else { throw .unsupportedCredentialType }
    guard self.id.utf8.elementsEqual(self.rawId.utf8) else { throw .credentialIDMismatch }
    return try Base64URLText(self.rawId).decoded(atMost: WebAuthnLimits.credentialID)
  }
}
