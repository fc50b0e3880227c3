/// The rules that a client's metadata must keep, one function each.
enum ClientMetadataRules {
  /// RFC 7591 §2: each by itself a redirect URI of RFC 8252 §7, in a number that a person could look through.
  static func redirectURIs(_ texts: [String], grantTypes: [String]) throws(ClientMetadataError) -> [RedirectURI] {
    guard texts.count <= 32 else { throw .tooManyRedirectURIs }
    var uris: [RedirectURI] = []
    for (index, text) in texts.enumerated() {
      guard text.utf8.count <= 2048 else { throw .redirectURITooLong(index: index) }
      do {
        let uri = try RedirectURI(text)
        if !uris.contains(uri) { uris.append(uri) }
      } catch {
        throw .redirectURI(index: index, error)
      }
    }
    guard !uris.isEmpty || !grantTypes.contains("authorization_code") else { throw .noRedirectURI }
    return uris
  }

  /// RFC 8252 §8.4 and OpenID Connect Registration §2. Without a word about it, redirects that only a native app can have make one.
  static func applicationType(
    _ type: String?, _ redirectURIs: [RedirectURI]
  ) throws(ClientMetadataError) -> CheckedClientMetadata.ApplicationType {
    guard let type else {
      let web = redirectURIs.count { $0.kind == .https }
      guard web == 0 || web == redirectURIs.count else { throw .mixedRedirectURIs }
      return web == 0 && !redirectURIs.isEmpty ? .native : .web
    }
    switch CheckedClientMetadata.ApplicationType(rawValue: type) {
    case .native: return .native
    case .web:
      if let index = redirectURIs.firstIndex(where: { $0.kind != .https }) { throw .redirectURINotForWeb(index: index) }
      return .web
    case nil: throw .member("application_type")
    }
  }

  /// RFC 7591 §2.1: the two lists fit each other; neither the implicit grant nor passwords (RFC 9700 §2.1.2 and §2.4).
  static func checkGrantTypes(_ metadata: ClientMetadata, _ grantTypes: [String]) throws(ClientMetadataError) {
    let usesCode = grantTypes.contains("authorization_code")
    let responseTypes = metadata.responseTypes ?? (usesCode ? ["code"] : [])
    guard (1...8).contains(grantTypes.count), !grantTypes.contains("implicit"), !grantTypes.contains("password"),
      responseTypes.allSatisfy({ $0 == "code" }), responseTypes.isEmpty != usesCode
    else { throw .grantTypes }
  }

  /// RFC 7591 §2: one place for the keys; a client that signs has keys.
  static func checkKeys(_ metadata: ClientMetadata, method: String) throws(ClientMetadataError) {
    guard metadata.jwks == nil || metadata.jwksURI == nil else { throw .keys }
    if let keys = metadata.jwks?.keys {
      guard (1...8).contains(keys.count), keys.allSatisfy(\.isPlausible) else { throw .keys }
    }
    guard method != "private_key_jwt" || metadata.jwks != nil || metadata.jwksURI != nil else { throw .keys }
  }

  /// RFC 6749 §4.4: only a confidential client gets tokens of its own.
  static func checkAuthentication(_ method: String, grantTypes: [String]) throws(ClientMetadataError) {
    guard method != "none" || !grantTypes.contains("client_credentials") else { throw .authenticationMissing }
  }

  static func scope(_ text: String?) throws(ClientMetadataError) -> Scope? {
    guard let text else { return nil }
    guard text.utf8.count <= 4096, let scope = Scope(text) else { throw .member("scope") }
    return scope.isEmpty ? nil : scope
  }

  /// What a person is shown, or an operator reads: short, and without characters that act on a page or a terminal.
  static func checkTexts(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    guard metadata.localizedClientNames.count <= 64,
      metadata.localizedClientNames.keys.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 64 && $0.utf8.allSatisfy(self.isLanguage) })
    else { throw .member("client_name") }
    let names = [metadata.clientName].compactMap(\.self) + metadata.localizedClientNames.values
    guard names.allSatisfy({ self.isReadable($0, upTo: 200) }) else { throw .member("client_name") }
    guard metadata.contacts.map({ $0.count <= 16 && $0.allSatisfy { self.isReadable($0, upTo: 254) } }) ?? true else {
      throw .member("contacts")
    }
    guard metadata.defaultACRValues.map({ $0.count <= 16 && $0.allSatisfy { self.isReadable($0, upTo: 256) } }) ?? true else {
      throw .member("default_acr_values")
    }
    guard (metadata.defaultMaxAge ?? 0) >= 0 else { throw .member("default_max_age") }
    let words = [
      (metadata.softwareID, "software_id"), (metadata.softwareVersion, "software_version"),
      (metadata.subjectType, "subject_type"), (metadata.idTokenSignedResponseAlg, "id_token_signed_response_alg"),
      (metadata.userinfoSignedResponseAlg, "userinfo_signed_response_alg"),
      (metadata.requestObjectSigningAlg, "request_object_signing_alg"),
      (metadata.tokenEndpointAuthSigningAlg, "token_endpoint_auth_signing_alg"),
    ]
    for (text, name) in words {
      guard text.map({ self.isReadable($0, upTo: 256) }) ?? true else { throw .member(name) }
    }
  }

  /// Pages that a person may be led to, and addresses that a server may ask: `https`, or loopback in development.
  static func checkWebPages(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    let pages = [
      (metadata.clientURI, "client_uri"), (metadata.logoURI, "logo_uri"), (metadata.termsOfServiceURI, "tos_uri"),
      (metadata.policyURI, "policy_uri"), (metadata.jwksURI, "jwks_uri"), (metadata.initiateLoginURI, "initiate_login_uri"),
      (metadata.backchannelLogoutURI, "backchannel_logout_uri"), (metadata.sectorIdentifierURI, "sector_identifier_uri"),
    ]
    for (text, name) in pages {
      guard let text else { continue }
      guard text.utf8.count <= 2048, (try? EndpointURL(text)) != nil else { throw .member(name) }
    }
  }

  /// OpenID Connect Core §6.2: addresses of `https`, and no longer than every server has to take.
  static func checkRequestURIs(_ metadata: ClientMetadata) throws(ClientMetadataError) {
    guard let texts = metadata.requestURIs else { return }
    guard texts.count <= 16 else { throw .member("request_uris") }
    for text in texts {
      guard text.utf8.count <= 512, (try? EndpointURL(text)) != nil else { throw .member("request_uris") }
    }
  }

  /// OpenID Connect RP-Initiated Logout §3.1: where a person is sent after signing out is held to the rules of redirect URIs.
  static func checkSignOut(
    _ metadata: ClientMetadata, _ type: CheckedClientMetadata.ApplicationType
  ) throws(ClientMetadataError) {
    guard let texts = metadata.postLogoutRedirectURIs else { return }
    guard texts.count <= 32 else { throw .member("post_logout_redirect_uris") }
    for text in texts {
      guard text.utf8.count <= 2048, let uri = try? RedirectURI(text), type == .native || uri.kind == .https else {
        throw .member("post_logout_redirect_uris")
      }
    }
  }

  private static func isReadable(_ text: String, upTo length: Int) -> Bool {
    guard text.utf8.count <= length, !text.allSatisfy(\.isWhitespace) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      // Of the format characters only those that join letters or emoji: the others turn text around or hide it.
      case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
      case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
      default: true
      }
    }
  }

  private static func isLanguage(_ byte: UInt8) -> Bool {
    Base64URL.isInAlphabet(byte) && byte != UInt8(ascii: "_")
  }
}
