import SallyportProtocol
import SallyportServer

/// Properties of the validation of client metadata, in a registration (RFC 7591 §2) and in a client ID metadata
/// document (OAuth Client ID Metadata Document §4).
enum ClientMetadataProperties {
  private static let url = "https://app.example/client.json"

  /// - Returns: Whether the server accepts the input as a registration or as a document.
  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let fixture = FuzzServer.shared else { return false }
    if let metadata = FuzzJSON.decode(ClientMetadata.self, input) {
      let reparsed = FuzzJSON.encode(metadata).flatMap { FuzzJSON.decode(ClientMetadata.self, $0) }
      try require(reparsed == metadata, "encoded metadata decodes to the same value")
    }
    let isRegistered = try await self.checkRegistration(input, fixture)
    return try self.checkDocument(input, fixture) || isRegistered
  }

  private static func checkRegistration(_ input: [UInt8], _ fixture: FuzzServer) async throws(Violation) -> Bool {
    guard let response = await self.register(input, fixture) else { return false }
    let metadata = response.metadata
    try self.checkMetadata(metadata)
    let method = metadata.tokenEndpointAuthMethod ?? ""
    try require(
      (response.clientSecret != nil) == method.hasPrefix("client_secret_"),
      "S-34: a client gets a secret if, and only if, it authenticates with one")
    let encoded = try require(FuzzJSON.encode(metadata), "a registration can be encoded")
    let repeated = try require(await self.register(encoded, fixture), "registered metadata can be registered again")
    try require(repeated.metadata == metadata, "registered metadata does not change if it is registered again")
    return true
  }

  private static func register(_ body: [UInt8], _ fixture: FuzzServer) async -> RegistrationResponse? {
    try? await fixture.server.registration.register(body, token: nil, origin: .request("fuzz", from: nil), from: .unknown)
  }

  private static func checkMetadata(_ metadata: ClientMetadata) throws(Violation) {
    let uris = try (metadata.redirectURIs ?? []).map { text throws(Violation) in
      try require(try? RedirectURI(text), "RFC 8252 §7: a registered redirect URI is valid")
    }
    try require(Set(uris).count == uris.count, "redirect URIs are distinct")
    if metadata.applicationType == "web" {
      let isPublic = metadata.tokenEndpointAuthMethod == "none"
      try require(
        uris.allSatisfy { uri in uri.kind == .https || (!isPublic && uri.kind != .privateUse) },
        "a web client has https redirect URIs, or loopback ones if it authenticates")
    }
    let types = metadata.grantTypes ?? []
    try require(
      types.contains("authorization_code") || types.contains("urn:ietf:params:oauth:grant-type:device_code"),
      "the client can sign users in")
    try require(
      !types.contains("client_credentials") && !types.contains("password") && !types.contains("implicit"),
      "the client has no client credentials, password, or implicit grant")
    try require(!types.contains("authorization_code") || !uris.isEmpty, "a client of the code flow has a redirect URI")
    let policy = RegistrationPolicy()
    try require(
      metadata.scope.flatMap { Scope($0) }.map { policy.scope.contains($0) } ?? false,
      "the scope is limited to the operator's policy")
    try require((0...2_147_483_647).contains(metadata.defaultMaxAge ?? 0), "default_max_age is a valid max_age")
    let name = metadata.clientName ?? ""
    let isDisplayable = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" }
    try require(
      !name.isEmpty && name.utf8.count <= 200 && isDisplayable,
      "a client name has 1 to 200 bytes, no control characters, and no U+202E (right-to-left override)")
    for address in [metadata.jwksURI, metadata.backchannelLogoutURI].compactMap({ $0 }) {
      try require(address.hasPrefix("https://"), "a URL that the server sends requests to uses https")
    }
    for page in [metadata.clientURI, metadata.logoURI, metadata.policyURI, metadata.termsOfServiceURI].compactMap({ $0 }) {
      let endpoint = try require(try? EndpointURL(page), "a page for users is at a valid endpoint URL")
      try EndpointProperties.check(endpoint, requiresHTTPS: false)
    }
  }

  private static func checkDocument(_ input: [UInt8], _ fixture: FuzzServer) throws(Violation) -> Bool {
    guard let url = ClientIDDocumentURL(self.url) else { return false }
    let document = ClientDocument(body: input, lifetime: .seconds(600))
    guard let record = try? document.record(url, policy: RegistrationPolicy(), at: FuzzKeys.now) else { return false }
    try require(haveSameBytes(record.id.rawValue, self.url) && record.origin == .document, "the client ID is the document's URL")
    // A document contains `client_id`, which is a member of registration responses but not of `ClientMetadata`.
    let decodedDocument = FuzzJSON.decode(RegistrationResponseJSON.self, input)?.response
    try require(haveSameBytes(decodedDocument?.clientID, self.url), "§4.1: the document contains its own URL")
    try require(
      record.secretFingerprint == nil && !record.authenticationMethod.usesSecret,
      "a document client has no secret, because anyone can fetch its document")
    try require(record.details.documentExpiresAt == FuzzKeys.now + .seconds(600), "the document expires after its lifetime")
    try require(
      (0...2_147_483_647).contains(record.details.defaultMaxAge ?? 0), "default_max_age is a valid max_age")
    try require(RegistrationPolicy().scope.contains(record.scope), "the scope is limited to the operator's policy")
    return true
  }
}
