/// The rules for a client's metadata. The `method` parameters contain the value of `token_endpoint_auth_method`.
/// Lengths of texts are in bytes.
enum ClientMetadataRules {
  static let maximumRedirectURIs = 32
  static let maximumURILength = 2048

  /// RFC 7591 §2: each redirect URI must be valid (RFC 8252 §7), and a client that uses the code flow must have one.
  /// The number of redirect URIs is limited. Duplicates are removed.
  static func redirectURIs(
    _ texts: [String], grantTypes: [String], _ schemes: UndottedSchemes
  ) throws(ClientMetadataError) -> [RedirectURI] {
    guard texts.count <= self.maximumRedirectURIs else { throw .tooManyRedirectURIs }
    var uris: [RedirectURI] = []
    for (index, text) in texts.enumerated() {
      let uri = try self.redirectURI(text, at: index, schemes)
      if !uris.contains(uri) { uris.append(uri) }
    }
    guard !uris.isEmpty || !grantTypes.contains("authorization_code") else { throw .noRedirectURI }
    return uris
  }

  static func redirectURI(
    _ text: String, at index: Int, _ schemes: UndottedSchemes
  ) throws(ClientMetadataError) -> RedirectURI {
    guard text.utf8.count <= self.maximumURILength else { throw .redirectURITooLong(index: index) }
    do { return try RedirectURI(text, schemes: schemes) } catch { throw .redirectURI(index: index, error) }
  }

  /// RFC 8252 §8.4 and OpenID Connect Registration §2: each redirect URI must be allowed for the application type.
  static func checkApplicationType(
    _ type: CheckedClientMetadata.ApplicationType, _ redirectURIs: [RedirectURI], method: String
  ) throws(ClientMetadataError) {
    if let index = redirectURIs.firstIndex(where: { !type.allows($0, method: method) }) {
      throw .redirectURINotForWeb(index: index)
    }
  }

  /// RFC 7591 §2.1: the grant types and response types must be consistent. The implicit and password grants are not
  /// allowed (RFC 9700 §2.1.2 and §2.4).
  static func checkGrantTypes(_ metadata: ClientMetadata, _ grantTypes: [String]) throws(ClientMetadataError) {
    let usesCode = grantTypes.contains("authorization_code")
    let responseTypes = metadata.responseTypes ?? (usesCode ? ["code"] : [])
    // A client that uses the code flow has the response type `code`. Other clients have no response type.
    let isConsistent = usesCode ? Set(responseTypes) == ["code"] : responseTypes.isEmpty
    guard isConsistent, (1...8).contains(grantTypes.count), !grantTypes.contains("implicit"), !grantTypes.contains("password")
    else { throw .grantTypes }
  }

  /// RFC 7591 §2: `jwks` and `jwks_uri` must not be used together, and `private_key_jwt` requires one of them.
  static func checkKeys(_ metadata: ClientMetadata, method: String) throws(ClientMetadataError) {
    guard metadata.jwks == nil || metadata.jwksURI == nil else { throw .member("jwks", .excludedBy("jwks_uri")) }
    if let keys = metadata.jwks?.keys {
      guard (1...8).contains(keys.count), keys.allSatisfy(\.isPlausible) else { throw .member("jwks", .keySet) }
    }
    guard method != "private_key_jwt" || metadata.jwks != nil || metadata.jwksURI != nil else {
      throw .member("jwks", .requiredBy("token_endpoint_auth_method \"private_key_jwt\""))
    }
  }

  /// RFC 6749 §4.4: only a confidential client can use the client credentials grant.
  static func checkAuthentication(_ method: String, grantTypes: [String]) throws(ClientMetadataError) {
    guard method != "none" || !grantTypes.contains("client_credentials") else { throw .authenticationMissing }
  }

  static func scope(_ text: String?) throws(ClientMetadataError) -> Scope? {
    guard let text else { return nil }
    guard text.utf8.count <= 4096 else { throw .member("scope", .length(maximum: 4096)) }
    guard let scope = Scope(text) else { throw .member("scope", .scopeSyntax) }
    return scope.isEmpty ? nil : scope
  }

  /// Names, contacts, and similar texts must not be blank, too long, or unreadable (``isReadable(_:)``). Also checks
  /// the language tags of localized names, and `default_max_age`.
  static func checkTexts(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    guard metadata.localizedClientNames.count <= 64 else { throw .member("client_name", .count(maximum: 64)) }
    let languages = metadata.localizedClientNames.keys
    guard languages.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 64 && $0.utf8.allSatisfy(self.isLanguageTagCharacter) }) else {
      throw .member("client_name", .languageTag)
    }
    for name in [metadata.clientName].compactMap(\.self) + metadata.localizedClientNames.values {
      try self.checkText(name, of: "client_name", upTo: 200)
    }
    // A contact is usually an email address, which has at most 254 bytes (RFC 5321 §4.5.3.1.3).
    try self.checkTexts(metadata.contacts, of: "contacts", upTo: 254)
    try self.checkTexts(metadata.defaultACRValues, of: "default_acr_values", upTo: 256)
    try self.checkMaximumAge(metadata.defaultMaxAge)
    let texts = [
      (metadata.softwareID, "software_id"), (metadata.softwareVersion, "software_version"),
      (metadata.subjectType, "subject_type"), (metadata.idTokenSignedResponseAlg, "id_token_signed_response_alg"),
      (metadata.userinfoSignedResponseAlg, "userinfo_signed_response_alg"),
      (metadata.requestObjectSigningAlg, "request_object_signing_alg"),
      (metadata.tokenEndpointAuthSigningAlg, "token_endpoint_auth_signing_alg"),
    ]
    for (text, name) in texts {
      if let text { try self.checkText(text, of: name, upTo: 256) }
    }
  }

  /// Applies the limit that also applies to `max_age` in authorization requests.
  private static func checkMaximumAge(_ seconds: Int?) throws(ClientMetadataError) {
    guard let seconds else { return }
    guard seconds >= 0 else { throw .member("default_max_age", .negative) }
    guard seconds <= Int(Int32.max) else { throw .member("default_max_age", .tooLarge(maximum: Int(Int32.max))) }
  }

  private static func checkTexts(
    _ texts: [String]?, of member: String, upTo length: Int
  ) throws(ClientMetadataError) {
    guard let texts else { return }
    guard texts.count <= 16 else { throw .member(member, .count(maximum: 16)) }
    for text in texts { try self.checkText(text, of: member, upTo: length) }
  }

  private static func checkText(_ text: String, of member: String, upTo length: Int) throws(ClientMetadataError) {
    guard text.utf8.count <= length, !text.allSatisfy(\.isWhitespace) else { throw .member(member, .length(maximum: length)) }
    guard self.isReadable(text) else { throw .member(member, .unreadable) }
  }

  /// The URLs of pages and the URLs that a server requests must use `https`, or `http` on loopback for development.
  static func checkURLs(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    let urls = [
      (metadata.clientURI, "client_uri"), (metadata.logoURI, "logo_uri"), (metadata.termsOfServiceURI, "tos_uri"),
      (metadata.policyURI, "policy_uri"), (metadata.jwksURI, "jwks_uri"),
      (metadata.backchannelLogoutURI, "backchannel_logout_uri"), (metadata.sectorIdentifierURI, "sector_identifier_uri"),
    ]
    for (text, name) in urls {
      if let text { try self.checkEndpoint(text, of: name, upTo: self.maximumURILength) }
    }
    try self.checkInitiateLogin(metadata.initiateLoginURI)
  }

  /// OpenID Connect Registration §2: `initiate_login_uri` must use `https`, without an exception for loopback
  /// addresses.
  private static func checkInitiateLogin(_ text: String?) throws(ClientMetadataError) {
    guard let text else { return }
    try self.checkEndpoint(text, of: "initiate_login_uri", upTo: self.maximumURILength)
    guard (try? EndpointURL(text))?.components.scheme == "https" else { throw .member("initiate_login_uri", .notHTTPS) }
  }

  private static func checkEndpoint(
    _ text: some StringProtocol, of member: String, upTo length: Int
  ) throws(ClientMetadataError) {
    guard text.utf8.count <= length else { throw .member(member, .length(maximum: length)) }
    guard (try? EndpointURL(String(text))) != nil else { throw .member(member, .notEndpoint) }
  }

  /// OpenID Connect Core §6.2: a request URI is an `https` URL of at most 512 characters. `http` is allowed on loopback
  /// for development.
  ///
  /// A fragment is allowed. It can contain the hash of the request object, so that a changed request object has a new
  /// URL (Registration §2).
  static func checkRequestURIs(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    guard let texts = metadata.requestURIs else { return }
    guard texts.count <= 16 else { throw .member("request_uris", .count(maximum: 16)) }
    for text in texts {
      guard text.utf8.count <= 512 else { throw .member("request_uris", .length(maximum: 512)) }
      guard URIComponents(text) != nil else { throw .member("request_uris", .notEndpoint) }
      try self.checkEndpoint(text.prefix { $0 != "#" }, of: "request_uris", upTo: 512)
    }
  }

  /// OpenID Connect RP-Initiated Logout §3.1: post-logout redirect URIs follow the rules for redirect URIs, except that
  /// schemes without a period are never accepted.
  static func checkPostLogoutRedirectURIs(
    _ metadata: ClientMetadata, _ type: CheckedClientMetadata.ApplicationType, method: String
  ) throws(ClientMetadataError) {
    guard let texts = metadata.postLogoutRedirectURIs else { return }
    guard texts.count <= self.maximumRedirectURIs else {
      throw .member("post_logout_redirect_uris", .count(maximum: self.maximumRedirectURIs))
    }
    for text in texts {
      guard self.isPostLogoutRedirectURI(text, type, method: method) else {
        throw .member("post_logout_redirect_uris", .notRedirectURI)
      }
    }
  }

  static func isPostLogoutRedirectURI(
    _ text: String, _ type: CheckedClientMetadata.ApplicationType, method: String
  ) -> Bool {
    guard text.utf8.count <= self.maximumURILength, let uri = try? RedirectURI(text) else { return false }
    return type.allows(uri, method: method)
  }

  /// Whether the text contains no control, format, private-use, or unassigned characters and no line or paragraph
  /// separators.
  ///
  /// U+200C and U+200D are allowed. They control whether neighboring letters or emoji are joined. Other format
  /// characters can hide text or change its direction.
  private static func isReadable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
  }

  /// Whether the byte is an ASCII letter, a digit, or a hyphen: the alphabet of base64url without the underscore.
  private static func isLanguageTagCharacter(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) && byte != UInt8(ascii: "_")
  }
}
