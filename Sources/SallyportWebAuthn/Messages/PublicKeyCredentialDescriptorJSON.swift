/// A reference to a credential in the options of a registration or an authentication (WebAuthn L3 §5.8.3).
package struct PublicKeyCredentialDescriptorJSON: Codable, Hashable, Sendable {
  package var type = "public-key"
  package var id: Base64URLBytes
  /// How the browser can reach the authenticator, such as `usb` or `internal`. Pass the transports that
  /// the browser reported when the credential was registered.
  package var transports: [String]

  package init(id: [UInt8], transports: [String] = []) {
    self.id = Base64URLBytes(id)
    self.transports = transports
  }
}
