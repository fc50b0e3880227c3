import SallyportProtocol

/// The validation rules for a registration. Each rule has its own function.
extension ClientRegistration {
  /// Returns the errors of the registration. The algorithms of a FAPI client are checked only if there is no other
  /// error, because this check needs the client's record, which only a valid registration has.
  public func problems() -> [ClientRegistrationError] {
    var problems: [ClientRegistrationError] = []
    func check(_ body: () throws(ClientRegistrationError) -> Void) {
      do { try body() } catch { problems.append(error) }
    }
    check(self.checkID)
    check(self.checkName)
    check { () throws(ClientRegistrationError) in _ = try self.checkedScope() }
    check(self.checkAlgorithm)
    check { () throws(ClientRegistrationError) in _ = try self.checkedAuthentication() }
    check(self.checkRedirectCount)
    for text in self.redirectURIs { check { () throws(ClientRegistrationError) in _ = try self.checkedRedirectURI(text) } }
    for text in self.postLogoutRedirectURIs {
      check { () throws(ClientRegistrationError) in _ = try self.checkedRedirectURI(text) }
    }
    check(self.checkResources)
    check(self.checkRequiredContext)
    check { () throws(ClientRegistrationError) in _ = try self.checkedDetails() }
    if problems.isEmpty { check(self.checkProfile) }
    return problems
  }

  private func checkID() throws(ClientRegistrationError) {
    guard self.id.map(Self.isValidID) ?? true else { throw .invalidClientID }
  }

  private func checkName() throws(ClientRegistrationError) {
    guard !self.name.allSatisfy(\.isWhitespace), self.name.utf8.count <= 200 else { throw .invalidName }
  }

  func checkedScope() throws(ClientRegistrationError) -> Scope {
    guard let scope = Scope(self.scope), !scope.isEmpty else { throw .invalidScope }
    return scope
  }

  private func checkAlgorithm() throws(ClientRegistrationError) {
    guard SigningKey.Algorithm(rawValue: self.signingAlgorithm) != nil else { throw .unsupportedAlgorithm }
  }

  /// The authentication method. By default, a native app is public (RFC 8252 §8.4 and §8.5), and web apps and services
  /// authenticate.
  private var method: ClientAuthenticationMethod {
    let confidential: ClientAuthenticationMethod = self.keys == nil ? .clientSecretBasic : .privateKeyJWT
    return self.authenticationMethod ?? (self.kind == .native ? .none : confidential)
  }

  func checkedAuthentication() throws(ClientRegistrationError) -> (ClientAuthenticationMethod, Secret<String>?) {
    let method = self.method
    let usesClientCredentials = self.kind == .service || self.additionalGrantTypes.contains(.clientCredentials)
    guard method != .none || !usesClientCredentials else { throw .authenticationMethod }
    // Keys are also allowed with the method `none`, because a public client may sign its requests.
    guard method != .privateKeyJWT || self.keys != nil else { throw .keysMissing }
    guard method.usesSecret else {
      guard self.secret == nil else { throw .authenticationMethod }
      return (method, nil)
    }
    // RFC 6749 §10.10: 22 random characters of base64url hold at least 128 bits, and cannot be guessed.
    if let secret = self.secret, secret.reveal().utf8.count < 22 { throw .secretTooShort }
    return (method, self.secret ?? Secret(RandomText.base64URL(bits: 256)))
  }

  private func checkRedirectCount() throws(ClientRegistrationError) {
    guard self.kind != .service || self.redirectURIs.isEmpty else { throw .redirectURIOfService }
    let usesDeviceGrant = self.additionalGrantTypes.contains(.deviceCode)
    guard !self.redirectURIs.isEmpty || self.kind == .service || usesDeviceGrant else { throw .noRedirectURI }
  }

  /// Checks a redirect URI against the kind of client. The same rules apply to post-logout redirect URIs (OpenID
  /// Connect RP-Initiated Logout §3.1).
  private func checkedRedirectURI(_ text: String) throws(ClientRegistrationError) -> RedirectURI {
    let uri: RedirectURI
    do { uri = try RedirectURI(text, schemes: UndottedSchemes(self.schemes)) } catch { throw .invalidRedirectURI(text, error) }
    let type: CheckedClientMetadata.ApplicationType = self.kind == .native ? .native : .web
    guard type.allows(uri, method: self.method.rawValue) else { throw .redirectURINotForWeb(text) }
    return uri
  }

  func checkedRedirectURIs() throws(ClientRegistrationError) -> [RedirectURI] {
    var checked: [RedirectURI] = []
    for text in self.redirectURIs {
      let uri = try self.checkedRedirectURI(text)
      if !checked.contains(uri) { checked.append(uri) }
    }
    return checked
  }

  private func checkResources() throws(ClientRegistrationError) {
    guard (self.resources + self.audiences).allSatisfy(ResourceIndicators.isValid) else { throw .invalidResource }
  }

  private func checkRequiredContext() throws(ClientRegistrationError) {
    guard let context = self.requiredContext else { return }
    let known = AuthenticationContext.Level.allCases.map(\.rawValue)
    guard known.contains(context) else { throw .member("require_acr", .unsupported(known)) }
  }

  private func checkProfile() throws(ClientRegistrationError) {
    // The record is only checked and not stored, so its time does not matter.
    let client = try self.record(at: Timestamp(seconds: 0)).record
    if let member = FAPIAlgorithms.violation(of: client) { throw .profileAlgorithm(member) }
  }

  func checkedDetails() throws(ClientRegistrationError) -> ClientDetails {
    var details: ClientDetails
    do throws(ClientMetadataError) { try CheckedClientMetadata.checkOperatorMetadata(self.metadata) } catch {
      throw Self.error(error)
    }
    do throws(ClientMetadataRejection) {
      try ClientRecordBuilder.checkSupportedMembers(self.metadata)
      details = try ClientRecordBuilder.details(self.metadata, origin: .operator)
    } catch {
      switch error {
      case .notSupported(let name, let values): throw .member(name, .unsupported(values))
      case .metadata(let error): throw Self.error(error)
      default: throw .member("client_metadata", .wrongType)
      }
    }
    details.postLogoutRedirectURIs = self.postLogoutRedirectURIs.isEmpty ? nil : self.postLogoutRedirectURIs
    details.resources = self.resources.isEmpty ? nil : self.resources
    details.audiences = self.audiences.isEmpty ? nil : self.audiences
    details.requiresPKCE = self.requiresPKCE ? true : nil
    details.requiredContext = self.requiredContext
    details.webViews = self.webViews
    details.isOneInstallation = self.kind == .native && self.method != .none ? true : nil
    return details
  }

  private static func error(_ error: ClientMetadataError) -> ClientRegistrationError {
    guard case .member(let name, let problem) = error else { return .member("client_metadata", .wrongType) }
    return .member(name, problem)
  }

  /// Whether a client ID is valid: 1 to 255 characters of visible ASCII (RFC 6749 appendix A.1) that do not start with
  /// the prefix of account identifiers, so that the ID cannot be mistaken for a user's `sub` (RFC 9700 §4.15).
  private static func isValidID(_ id: String) -> Bool {
    !id.isEmpty && id.utf8.count <= 255 && id.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !id.hasPrefix(AccountID.prefix)
  }
}
