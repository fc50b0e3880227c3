extension ClientMetadata: Codable {
  /// The JSON name of a member.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { self.stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let localizedNamePrefix = "client_name#"

  /// Decodes metadata strictly.
  /// - Throws: `DecodingError` if a member does not have the standard type.
  public init(from decoder: any Decoder) throws {
    try self.init(from: decoder, isLenient: false)
  }

  /// - Parameter isLenient: Whether a member of the wrong type counts as absent, for responses of servers that do not
  ///   follow the standards.
  init(from decoder: any Decoder, isLenient: Bool) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func read<Value: Decodable>(_ path: WritableKeyPath<Self, Value?>, _ name: String) throws {
      do {
        self[keyPath: path] = try container.decodeIfPresent(Value.self, forKey: Key(name))
      } catch {
        guard isLenient else { throw error }
      }
    }
    self.init()
    for (path, name) in Self.texts { try read(path, name) }
    for (path, name) in Self.lists { try read(path, name) }
    for (path, name) in Self.flags { try read(path, name) }
    try read(\.jwks, "jwks")
    try read(\.defaultMaxAge, "default_max_age")
    for key in container.allKeys where key.stringValue.hasPrefix(Self.localizedNamePrefix) {
      let language = String(key.stringValue.dropFirst(Self.localizedNamePrefix.count))
      do {
        self.localizedClientNames[language] = try container.decodeIfPresent(String.self, forKey: key)
      } catch {
        guard isLenient else { throw error }
      }
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (path, name) in Self.texts { try container.encodeIfPresent(self[keyPath: path], forKey: Key(name)) }
    for (path, name) in Self.lists { try container.encodeIfPresent(self[keyPath: path], forKey: Key(name)) }
    for (path, name) in Self.flags { try container.encodeIfPresent(self[keyPath: path], forKey: Key(name)) }
    try container.encodeIfPresent(self.jwks, forKey: Key("jwks"))
    try container.encodeIfPresent(self.defaultMaxAge, forKey: Key("default_max_age"))
    for (language, name) in self.localizedClientNames {
      try container.encode(name, forKey: Key(Self.localizedNamePrefix + language))
    }
  }

  /// Removes members that are an empty string, and empty strings in lists. Some clients send empty strings instead of
  /// omitting a member.
  package mutating func removeEmptyMembers() {
    for (path, _) in Self.texts where self[keyPath: path] == "" { self[keyPath: path] = nil }
    for (path, _) in Self.lists { self[keyPath: path]?.removeAll(where: \.isEmpty) }
    self.localizedClientNames = self.localizedClientNames.filter { !$0.value.isEmpty }
  }

  /// The names of all members except `client_name#…`.
  package static var memberNames: Set<String> {
    Set(self.texts.map(\.1) + self.lists.map(\.1) + self.flags.map(\.1) + ["jwks", "default_max_age"])
  }

  private typealias Members<Value> = [(WritableKeyPath<ClientMetadata, Value?>, String)]

  private static var texts: Members<String> {
    [
      (\.tokenEndpointAuthMethod, "token_endpoint_auth_method"),
      (\.tokenEndpointAuthSigningAlg, "token_endpoint_auth_signing_alg"), (\.clientName, "client_name"),
      (\.clientURI, "client_uri"), (\.logoURI, "logo_uri"), (\.scope, "scope"), (\.termsOfServiceURI, "tos_uri"),
      (\.policyURI, "policy_uri"), (\.jwksURI, "jwks_uri"), (\.softwareID, "software_id"),
      (\.softwareVersion, "software_version"), (\.softwareStatement, "software_statement"),
      (\.applicationType, "application_type"), (\.idTokenSignedResponseAlg, "id_token_signed_response_alg"),
      (\.userinfoSignedResponseAlg, "userinfo_signed_response_alg"), (\.requestObjectSigningAlg, "request_object_signing_alg"),
      (\.subjectType, "subject_type"), (\.sectorIdentifierURI, "sector_identifier_uri"),
      (\.initiateLoginURI, "initiate_login_uri"),
      (\.backchannelLogoutURI, "backchannel_logout_uri"),
    ]
  }

  private static var lists: Members<[String]> {
    [
      (\.redirectURIs, "redirect_uris"), (\.grantTypes, "grant_types"), (\.responseTypes, "response_types"),
      (\.contacts, "contacts"), (\.postLogoutRedirectURIs, "post_logout_redirect_uris"),
      (\.defaultACRValues, "default_acr_values"), (\.requestURIs, "request_uris"),
    ]
  }

  private static var flags: Members<Bool> {
    [
      (\.backchannelLogoutSessionRequired, "backchannel_logout_session_required"), (\.requireAuthTime, "require_auth_time"),
      (\.dpopBoundAccessTokens, "dpop_bound_access_tokens"),
      (\.requirePushedAuthorizationRequests, "require_pushed_authorization_requests"),
      (\.requireSignedRequestObject, "require_signed_request_object"),
    ]
  }
}
