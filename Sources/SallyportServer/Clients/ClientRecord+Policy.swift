extension ClientRecord {
  /// Whether the client can keep a secret. A native app cannot, whatever it presents (RFC 8252 §8.5, rule S-12), unless each install
  /// got its own by registering itself (§8.4, rule S-13).
  package var isConfidential: Bool {
    self.type == .confidential && (self.applicationType == .web || self.origin == .dynamic)
  }

  /// Whether a request of this client must carry a PKCE challenge: every public and every native one's (RFC 8252 §8.1).
  package var requiresPKCE: Bool { !self.isConfidential || self.applicationType == .native }
}
