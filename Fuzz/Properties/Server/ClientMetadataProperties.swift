import SallyportProtocol
import SallyportServer

/// What a client says of itself, by registering (RFC 7591 §2) and in a document (OAuth Client ID Metadata Document §4).
enum ClientMetadataProperties {
  private static let url = "https://app.example/client.json"

  static func check(_ input: [UInt8]) async throws(Violation) -> Bool {
    guard let server = FuzzServer.shared else { return false }
    if let metadata = FuzzJSON.decode(ClientMetadata.self, input) {
      let again = FuzzJSON.encode(metadata).flatMap { FuzzJSON.decode(ClientMetadata.self, $0) }
      try require(again == metadata, "metadata that are written again read the same")
    }
    let isRegistered = try await self.checkRegistration(input, server)
    return try self.checkDocument(input, server) || isRegistered
  }

  private static func checkRegistration(_ input: [UInt8], _ server: FuzzServer) async throws(Violation) -> Bool {
    guard let response = await self.register(input, server) else { return false }
    let metadata = response.metadata
    try self.checkMetadata(metadata)
    let method = metadata.tokenEndpointAuthMethod ?? ""
    try require(
      (response.clientSecret != nil) == method.hasPrefix("client_secret_"), "S-34: a secret for who authenticates by one")
    // The registered metadata can be registered again unchanged.
    let written = try require(FuzzJSON.encode(metadata), "a registration can be written")
    let again = try require(await self.register(written, server), "what was registered can be registered")
    try require(again.metadata == metadata, "a registration that is sent again is the same")
    return true
  }

  private static func register(_ body: [UInt8], _ server: FuzzServer) async -> RegistrationResponse? {
    try? await server.server.registration.register(body, token: nil, from: .unknown, origin: .server)
  }

  private static func checkMetadata(_ metadata: ClientMetadata) throws(Violation) {
    let uris = try (metadata.redirectURIs ?? []).map { text throws(Violation) in
      try require(try? RedirectURI(text), "a registered redirect URI is one of RFC 8252 §7")
    }
    try require(Set(uris).count == uris.count, "a redirect URI is registered once")
    if metadata.applicationType == "web" {
      let isPublic = metadata.tokenEndpointAuthMethod == "none"
      try require(
        uris.allSatisfy { uri in uri.kind == .https || (!isPublic && uri.kind != .privateUse) },
        "a web client has no redirect of a native app")
    }
    let types = metadata.grantTypes ?? []
    try require(
      types.contains("authorization_code") || types.contains("urn:ietf:params:oauth:grant-type:device_code"),
      "it can sign somebody in")
    try require(
      !types.contains("client_credentials") && !types.contains("password") && !types.contains("implicit"), "and nothing more")
    try require(!types.contains("authorization_code") || !uris.isEmpty, "the code flow has a redirect URI")
    let policy = RegistrationPolicy()
    try require(
      metadata.scope.flatMap { Scope($0) }.map { policy.scope.contains($0) } ?? false,
      "S-31: no more than the operator allows dynamic clients")
    let name = metadata.clientName ?? ""
    let isQuiet = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{202E}" }
    try require(!name.isEmpty && name.utf8.count <= 200 && isQuiet, "a name can be shown to a user")
    for address in [metadata.jwksURI, metadata.backchannelLogoutURI].compactMap({ $0 }) {
      try require(address.hasPrefix("https://"), "what the server itself opens is https")
    }
    for page in [metadata.clientURI, metadata.logoURI, metadata.policyURI, metadata.termsOfServiceURI].compactMap({ $0 }) {
      let endpoint = try require(try? EndpointURL(page), "a page for users is https or loopback")
      try EndpointProperties.check(endpoint, isHTTPS: false)
    }
  }

  private static func checkDocument(_ input: [UInt8], _ server: FuzzServer) throws(Violation) -> Bool {
    guard let url = ClientIDDocumentURL(self.url) else { return false }
    let document = ClientDocument(body: input, lifetime: .seconds(600))
    guard let record = try? document.record(url, policy: RegistrationPolicy(), at: FuzzKeys.now) else { return false }
    try require(isSame(record.id.rawValue, self.url) && record.origin == .document, "the client is the document's")
    let identity = FuzzJSON.decode(RegistrationResponseJSON.self, input)?.response
    try require(isSame(identity?.clientID, self.url), "§4.1: the document speaks of itself")
    try require(
      record.secretFingerprint == nil && !record.authenticationMethod.usesSecret, "what everybody can read is no secret")
    try require(record.details.documentExpiresAt == FuzzKeys.now + .seconds(600), "the document has an end")
    try require(RegistrationPolicy().scope.contains(record.scope), "no more than the operator allows dynamic clients")
    return true
  }
}
