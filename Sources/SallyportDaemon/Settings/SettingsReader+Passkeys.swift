import NIOSSL
import SallyportServer
import SallyportWebAuthn

extension SettingsReader {
  /// The settings of passkeys.
  /// - Parameters:
  ///   - server: The configuration with the issuer.
  ///   - hasValidIssuer: Whether the issuer in the settings is valid. If not, `server` has a placeholder, and mistakes
  ///     that depend on the issuer are not reported.
  /// - Returns: Nil if passkeys are off.
  mutating func readPasskeys(for server: ServerConfiguration, hasValidIssuer: Bool) -> PasskeyPolicy? {
    var policy = PasskeyPolicy()
    policy.relyingPartyID = self.read(.passkeysRelyingPartyID, "a domain name") { $0.isEmpty ? nil : $0 }
    policy.relatedOrigins =
      self.readList(.passkeysOrigins, "a list of origins such as https://app.example") { $0.isEmpty ? nil : $0 } ?? []
    policy.attestation = self.readAttestation() ?? policy.attestation
    // The setting for which a mistake is reported. If neither passkeys.rp-id nor passkeys.origins is set, nothing is
    // checked, because an issuer whose host cannot have passkeys is then allowed.
    let setting: Setting? =
      policy.relyingPartyID != nil ? .passkeysRelyingPartyID : policy.relatedOrigins.isEmpty ? nil : .passkeysOrigins
    if let setting {
      do throws(RelyingPartyError) { _ = try server.relyingParty(of: policy) } catch {
        if case .invalidOrigin(let origin) = error, policy.relatedOrigins.contains(origin) {
          self.report(.passkeysOrigins, "is not valid: \(error.description)")
        } else if hasValidIssuer {
          var reason = error.description
          if case .originOutsideID(_, let id) = error, setting == .passkeysRelyingPartyID {
            reason = "Its host is neither \"\(id)\" nor a subdomain. Use the issuer's host or a parent domain."
          }
          self.report(setting, "is not valid for the issuer \(server.issuer): \(reason)")
        }
      }
    }
    let isOn = self.readBool(.passkeys) ?? true
    return isOn ? policy : nil
  }

  private mutating func readAttestation() -> AttestationPolicy? {
    let models = self.readList(
      .passkeysAuthenticators, "a list of AAGUIDs such as 08987058-cadc-4b81-b6e1-30de50dcbe96"
    ) { AAGUID($0) }
    let path = self.read(.passkeysRoots, "a file path") { $0.isEmpty ? nil : $0 }
    switch (models, path) {
    case (nil, nil): return nil
    case (_, nil): self.report(.passkeysAuthenticators, "requires \(Setting.passkeysRoots.rawValue)")
    case (nil, _): self.report(.passkeysRoots, "requires \(Setting.passkeysAuthenticators.rawValue)")
    case (let models?, let path?):
      guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty,
        let roots = try? certificates.map({ try $0.toDERBytes() }),
        let trusted = TrustedAuthenticators(aaguids: Set(models), roots: roots)
      else {
        self.report(.passkeysRoots, "must be a file with certificates in PEM format, not \"\(path)\"")
        return nil
      }
      return .required(trusted)
    }
    return nil
  }
}
