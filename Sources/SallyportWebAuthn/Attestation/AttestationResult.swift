/// What is known about the authenticator of a credential.
package enum AttestationResult: Hashable, Sendable {
  /// The authenticator's model is unknown. The AAGUID is unverified.
  case none
  /// A certificate confirms the authenticator's model.
  case verified(AAGUID)
}
