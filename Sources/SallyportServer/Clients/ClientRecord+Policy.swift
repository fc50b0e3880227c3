import SallyportProtocol

extension ClientRecord {
  /// Whether the client can keep a secret.
  ///
  /// A native app cannot (RFC 8252 §8.5, rule S-12), unless each installation has its own secret or key: either the
  /// installation registered itself, or the operator registered this one installation (§8.4, rules S-10 and S-13).
  package var isConfidential: Bool {
    self.type == .confidential
      && (self.applicationType == .web || self.origin == .dynamic || self.details.isOneInstallation == true)
  }

  /// Whether the client must use PKCE. This includes every public and every native client (RFC 8252 §8.1), clients of
  /// the FAPI 2.0 Security Profile (§5.3.2.2), and clients for which the operator requires it.
  package var requiresPKCE: Bool {
    !self.isConfidential || self.applicationType == .native || self.usesSecurityProfile || self.details.requiresPKCE == true
  }

  /// Whether the client is registered as a client of the FAPI 2.0 Security Profile: it authenticates with
  /// `private_key_jwt`, pushes its requests, and uses DPoP. The stricter rules of the profile then apply to the client,
  /// such as the limited choice of algorithms (``FAPIAlgorithms``).
  var usesSecurityProfile: Bool {
    self.authenticationMethod == .privateKeyJWT && self.details.requiresPushedRequests == true
      && self.details.requiresDPoP == true
  }

  /// Whether the client must sign all its authorization requests. If so, the rules of FAPI 2.0 Message Signing §5.3.1
  /// apply to its request objects.
  var usesMessageSigning: Bool { self.details.requiresSignedRequest == true }

  /// Whether the client gets a refresh token for a grant with this scope (OpenID Connect Core §11).
  func getsRefreshToken(for scope: Scope) -> Bool {
    scope.contains(.offlineAccess) && self.grantTypes.contains(.refreshToken)
  }
}
