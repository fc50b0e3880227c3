import SallyportProtocol
import SallyportServer
import Testing

@Suite("Registering clients")
struct ClientRegistrationTests {
  private func register(
    _ kind: ClientRegistration.Kind, _ redirectURIs: [String], _ change: (inout ClientRegistration) -> Void = { _ in }
  ) throws(ClientRegistrationError) -> (record: ClientRecord, secret: Secret<String>?) {
    var registration = ClientRegistration(name: "Notes", kind: kind, redirectURIs: redirectURIs)
    change(&registration)
    return try registration.register(at: Timestamp(seconds: 1))
  }

  @Test(
    "S-01, S-07, S-09, S-10, S-34: a native app is public and gets no secret, with each kind of redirect URI",
    arguments: [
      "http://127.0.0.1/cb", "http://127.0.0.1:8000/cb", "http://[::1]/cb", "http://localhost:8000/cb", "com.example.app:/cb",
      "com.example.app:/", "https://app.example/cb", "https://app.example:8443/cb?x=1", "msapp://s-1-15-2-1",
    ])
  func native(redirectURI: String) throws {
    let (record, secret) = try self.register(.native, [redirectURI])
    #expect(record.type == .public && record.applicationType == .native && record.origin == .operator)
    #expect(secret == nil && record.secretFingerprint == nil)
    #expect(record.requiresPKCE && !record.isConfidential)
    #expect(record.redirectURIs.map(\.value) == [redirectURI])
    #expect(record.signingAlgorithm == "ES256")
  }

  @Test("S-10, S-11: a web app is confidential, and its registration returns a secret that is stored only as a fingerprint")
  func web() throws {
    let (record, secret) = try self.register(.web, ["https://app.example/cb"])
    #expect(record.type == .confidential && record.applicationType == .web && record.isConfidential)
    #expect(record.secretFingerprint == secret.map(Fingerprint.init(of:)))
    // 256 bits in base64url.
    #expect(secret?.reveal().count == 43)
  }

  static let unsafeURIs: [String] = [
    "", "myapp:/cb", "myapp://cb", "com.example.app://cb", "com.example.app:cb", "com.example.app:///cb", "com.example.app:",
    ".com.example:/cb", "com..example:/cb", "com.example.:/cb", "iris.beep:/cb", "IRIS.BEEP:/cb", "soap.beeps:/cb",
    "http://app.example/cb", "http://10.0.0.1/cb", "http://192.168.0.1/cb", "http://0.0.0.0/cb", "http://127.0.0.2/cb",
    "http://127.1/cb", "http://2130706433/cb", "http://0x7f.0.0.1/cb", "http://[::ffff:127.0.0.1]/cb", "http://localhost./cb",
    "http://LOCALHOST/cb", "http://localhost.evil/cb", "http://user@127.0.0.1/cb", "http://127.0.0.1/cb#f",
    "http://127.0.0.1:0/cb",
    "http://127.0.0.1:65536/cb", "https://app.example/cb#", "https://user:pw@app.example/cb", "https:///cb", "https://",
    "https://app.example/../cb", "https://app.example/x/..;/cb", "https://app.example/%2e%2e/cb", "https://app.example\\cb",
    "https://app .example/cb", "https://\u{E4}pp.example/cb", "//app.example/cb", "/cb", "*", "https://*.example/cb",
    "javascript:alert(1)", "data:text/html,x", "file:///cb", "intent://cb", "ftp://app.example/cb", "ws://127.0.0.1/cb",
    "urn:ietf:wg:oauth:2.0:oob",
  ]

  @Test("S-08, S-09, S-32, S-36: unsafe redirect URIs are not registered", arguments: unsafeURIs)
  func unsafeRedirectURI(_ redirectURI: String) {
    #expect(throws: ClientRegistrationError.self) { try self.register(.native, [redirectURI]) }
    #expect(throws: ClientRegistrationError.self) { try self.register(.native, ["http://127.0.0.1/cb", redirectURI]) }
  }

  @Test(
    "S-36: a web client cannot have a private-use redirect URI, or a loopback redirect URI if the client does not authenticate",
    arguments: ["http://127.0.0.1/cb", "http://[::1]/cb", "http://localhost/cb", "com.example.app:/cb"])
  func webRedirects(redirectURI: String) throws {
    #expect(throws: ClientRegistrationError.redirectURINotForWeb(redirectURI)) {
      try self.register(.web, [redirectURI]) { $0.authenticationMethod = ClientAuthenticationMethod.none }
    }
    if redirectURI.hasPrefix("com.") {
      #expect(throws: ClientRegistrationError.redirectURINotForWeb(redirectURI)) { try self.register(.web, [redirectURI]) }
    } else {
      #expect(try self.register(.web, [redirectURI]).record.isConfidential)
    }
  }

  @Test(
    "S-10: a native app that an operator registers for one installation can have a secret, and must use PKCE even so",
    arguments: [ClientAuthenticationMethod.clientSecretBasic, .clientSecretPost])
  func oneInstallation(method: ClientAuthenticationMethod) throws {
    let (record, secret) = try self.register(.native, ["http://127.0.0.1/cb"]) {
      $0.authenticationMethod = method
      $0.additionalGrantTypes = [.deviceCode]
    }
    #expect(record.isConfidential && record.requiresPKCE && record.applicationType == .native)
    #expect(record.secretFingerprint == secret.map(Fingerprint.init(of:)) && secret != nil)
    #expect(record.grantTypes.contains(.deviceCode))
  }

  @Test("a confidential web client must use PKCE if the operator requires it, but not by default")
  func requiredPKCE() throws {
    let required = try self.register(.web, ["https://app.example/cb"]) { $0.requiresPKCE = true }.record
    #expect(required.requiresPKCE && required.isConfidential)
    let record = try self.register(.web, ["https://app.example/cb"]).record
    #expect(!record.requiresPKCE)
  }

  @Test("S-10, S-34: a web client that does not authenticate is public; a service always authenticates")
  func publicWeb() throws {
    let (record, secret) = try self.register(.web, ["https://app.example/cb"]) {
      $0.authenticationMethod = ClientAuthenticationMethod.none
    }
    #expect(record.type == .public && record.requiresPKCE && secret == nil)
    #expect(throws: ClientRegistrationError.authenticationMethod) {
      try self.register(.service, []) { $0.authenticationMethod = ClientAuthenticationMethod.none }
    }
  }

  @Test("S-09: a scheme without a period is registered only if the operator lists it")
  func listedScheme() throws {
    let uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    #expect(throws: ClientRegistrationError.invalidRedirectURI(uri, .schemeWithoutPeriod)) { try self.register(.native, [uri]) }
    let record = try self.register(.native, [uri]) { $0.schemes = ["cursor"] }.record
    #expect(record.redirectURIs.map(\.value) == [uri])
  }

  @Test("S-08: at least one redirect URI is required, and duplicates are removed")
  func redirectURIs() throws {
    #expect(throws: ClientRegistrationError.noRedirectURI) { try self.register(.native, []) }
    #expect(try self.register(.native, ["http://127.0.0.1/cb", "http://127.0.0.1/cb"]).record.redirectURIs.count == 1)
  }

  @Test(
    "S-38: a client identifier is visible ASCII, and cannot be confused with a user's sub",
    arguments: [
      "", " ", "a b", "a\n", "acct-x", "acct-", "\u{E9}", "\u{212A}", String(repeating: "a", count: 256), "a\u{0}",
    ])
  func identifiers(id: String) throws {
    #expect(throws: ClientRegistrationError.invalidClientID) {
      try self.register(.native, ["http://127.0.0.1/cb"]) { $0.id = id }
    }
    #expect(AccountID.random().rawValue.hasPrefix("acct-"))
  }

  @Test("an invalid name, scope, or algorithm is rejected")
  func invalidValues() {
    let uris = ["http://127.0.0.1/cb"]
    for name in ["", " \n", String(repeating: "x", count: 201)] {
      #expect(throws: ClientRegistrationError.invalidName) { try self.register(.native, uris) { $0.name = name } }
    }
    for scope in ["", " ", "a\u{22}"] {
      #expect(throws: ClientRegistrationError.invalidScope) { try self.register(.native, uris) { $0.scope = scope } }
    }
    for algorithm in ["none", "HS256", "es256", ""] {
      #expect(throws: ClientRegistrationError.unsupportedAlgorithm) {
        try self.register(.native, uris) { $0.signingAlgorithm = algorithm }
      }
    }
  }
}

extension ClientRegistrationTests {
  @Test("all problems of a registration are reported together")
  func problems() {
    var registration = ClientRegistration(
      id: "a b", name: "", kind: .web, redirectURIs: ["myapp:/cb", "http://127.0.0.1/cb"], scope: "", signingAlgorithm: "none")
    registration.authenticationMethod = ClientAuthenticationMethod.none
    registration.postLogoutRedirectURIs = ["http://127.0.0.1/bye"]
    registration.resources = ["notes"]
    registration.metadata.backchannelLogoutURI = "http://web.example/out"
    #expect(
      registration.problems() == [
        .invalidClientID, .invalidName, .invalidScope, .unsupportedAlgorithm,
        .invalidRedirectURI("myapp:/cb", .schemeWithoutPeriod), .redirectURINotForWeb("http://127.0.0.1/cb"),
        .redirectURINotForWeb("http://127.0.0.1/bye"), .invalidResource, .member("backchannel_logout_uri", .notEndpoint),
      ])
  }

  @Test(
    "a back-channel logout URI must use https, or http on loopback",
    arguments: [
      ("https://web.example/out", true), ("https://10.0.0.1/out?x=1", true), ("http://127.0.0.1:8000/out", true),
      ("http://localhost:8000/out", true), ("http://10.0.0.1/out", false), ("https://web.example/out#f", false), ("/out", false),
      ("ftp://web.example/out", false), ("", false),
    ])
  func backChannelLogout(uri: String, isValid: Bool) {
    var registration = ClientRegistration(name: "Web", kind: .web, redirectURIs: ["https://web.example/cb"])
    registration.metadata.backchannelLogoutURI = uri
    #expect(registration.problems() == (isValid ? [] : [.member("backchannel_logout_uri", .notEndpoint)]))
    let details = try? registration.register(at: Timestamp(seconds: 1)).record.details
    #expect(details?.backchannelLogoutURI == (isValid ? uri : nil))
  }

  /// Changes to the registration of a FAPI 2.0 client, each with the metadata member that is rejected because of the
  /// change; nil if the change is allowed.
  static let profiles: [(name: String, change: @Sendable (inout ClientRegistration) -> Void, rejected: String?)] = [
    ("nothing", { _ in }, nil), ("ID tokens, RS256", { $0.signingAlgorithm = "RS256" }, "id_token_signed_response_alg"),
    ("userinfo, RS256", { $0.metadata.userinfoSignedResponseAlg = "RS256" }, "userinfo_signed_response_alg"),
    ("assertions, RS256", { $0.metadata.tokenEndpointAuthSigningAlg = "RS256" }, "token_endpoint_auth_signing_alg"),
    ("assertions, ES384", { $0.metadata.tokenEndpointAuthSigningAlg = "ES384" }, "token_endpoint_auth_signing_alg"),
    ("assertions, EdDSA", { $0.metadata.tokenEndpointAuthSigningAlg = "EdDSA" }, nil),
    ("requests, RS256", { $0.metadata.requestObjectSigningAlg = "RS256" }, "request_object_signing_alg"),
    ("requests, PS256", { $0.metadata.requestObjectSigningAlg = "PS256" }, nil),
    ("a key for RS256", { $0.keys = Self.keys("RS256") }, "jwks"), ("a key for PS256", { $0.keys = Self.keys("PS256") }, nil),
    ("a key for encryption", { $0.keys = Self.keys("RSA-OAEP") }, nil), ("a key for anything", { $0.keys = Self.keys(nil) }, nil),
  ]

  private static func keys(_ algorithm: String?) -> ClientKeys {
    .inline(#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"\#(algorithm.map { #","alg":"\#($0)""# } ?? "")}]}"#)
  }

  @Test(
    "FAPI 2.0 Security Profile §5.4.1: a client with this profile may use only the profile's algorithms; other clients may use more",
    arguments: ClientRegistrationTests.profiles)
  func profile(_ row: (name: String, change: @Sendable (inout ClientRegistration) -> Void, rejected: String?)) {
    var registration = ClientRegistration(name: "Bank", kind: .web, redirectURIs: ["https://web.example/cb"])
    registration.authenticationMethod = .privateKeyJWT
    registration.keys = Self.keys(nil)
    registration.metadata.dpopBoundAccessTokens = true
    row.change(&registration)
    // Without pushed requests, the client is not a FAPI 2.0 client yet, so every algorithm is accepted.
    #expect(registration.problems().isEmpty)
    registration.metadata.requirePushedAuthorizationRequests = true
    #expect(registration.problems() == (row.rejected.map { [.profileAlgorithm($0)] } ?? []))
    let isRegistered = (try? registration.register(at: Timestamp(seconds: 1))) != nil
    #expect(isRegistered == (row.rejected == nil))
  }
}
