/// Whether the authenticator verifies the user (WebAuthn L3 §5.8.6).
package enum UserVerificationRequirement: String, Codable, Hashable, Sendable {
  case required
  case preferred
  case discouraged
}
