extension ClientRecord {
  /// Whether the client can keep a secret. A native app cannot, whatever it presents (RFC 8252 §8.5, rule S-12), unless each installation
  /// has its own: it registered itself, or the operator registered this one installation (§8.4, rules S-10 and S-13).
  package var isConfidential: Bool {
    self.type == .confidential
      && (self.applicationType == .web || self.origin == .dynamic || self.details.isOneInstallation == true)
  }

  /// Whether a request of this client must carry a PKCE challenge: every public and every native client's (RFC 8252 §8.1), that of a client
  /// of the FAPI 2.0 Security Profile (§5.3.2.2), and that of a client for which the operator requires it.
  package var requiresPKCE: Bool {
    !self.isConfidential || self.applicationType == .native || self.keepsSecurityProfile || self.details.requiresPKCE == true
  }

  /// Whether the client is registered as the FAPI 2.0 Security Profile has its clients: it signs to be known, pushes its requests, and
  /// binds its tokens to a key. What it signs is then held to the profile's own, stricter rules.
  var keepsSecurityProfile: Bool {
    self.authenticationMethod == .privateKeyJWT && self.details.requiresPushedRequests == true
      && self.details.requiresDPoP == true
  }

  /// Whether what the client signs is held to FAPI 2.0 Message Signing §5.3.1: it has said that all its requests are signed.
  var keepsMessageSigning: Bool { self.details.requiresSignedRequest == true }

  /// Whether the client has no person in front of it: it acts for itself only, RFC 6749 §4.4.
  package var isService: Bool { !self.grantTypes.contains(.authorizationCode) && self.grantTypes.contains(.clientCredentials) }
}
