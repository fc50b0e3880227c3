import SallyportProtocol
import SallyportRemote
import TestSupport
import Testing

struct ProviderMetadataTests {
  /// Returns the error of the issuer's metadata, or `nil` if the metadata is valid.
  private static func error(_ issuer: TestIssuer) -> DiscoveryError? {
    do {
      _ = try ProviderMetadata(issuer.metadata, expecting: issuer.issuer)
      return nil
    } catch {
      return error
    }
  }

  /// The endpoints in the metadata, each with a function that sets its URL.
  private static let members: [(MetadataEndpoint, @Sendable (inout ServerMetadata, String?) -> Void)] = [
    (.authorization, { $0.authorizationEndpoint = $1 }), (.token, { $0.tokenEndpoint = $1 }), (.jwks, { $0.jwksURI = $1 }),
    (.userinfo, { $0.userinfoEndpoint = $1 }), (.revocation, { $0.revocationEndpoint = $1 }),
    (.endSession, { $0.endSessionEndpoint = $1 }), (.introspection, { $0.introspectionEndpoint = $1 }),
  ]

  @Test(
    "C-25: an endpoint must be a well-formed https URL without user information or a fragment",
    arguments: [
      ("file:///etc/passwd", .malformed), ("javascript:alert(1)", .malformed), ("javascript://id.example/%0aalert(1)", .scheme),
      ("data:text/html,x", .malformed), ("-flag", .malformed), ("--version", .malformed), ("", .malformed),
      ("/authorize", .malformed),
      ("//id.example/authorize", .malformed), ("https://-flag.example/", .malformed), ("https://id.example/a b", .malformed),
      ("https://id.example/a\nb", .malformed), ("https://id.example/\u{0}", .malformed), ("https://id.example/\"", .malformed),
      ("https://id.example/`id`", .malformed), ("https://id.example/a\\b", .malformed), ("https://id.example/<x>", .malformed),
      ("https://id.example/é", .malformed), ("https://id.example@evil.example/", .userInfo),
      ("https://a:b@id.example/", .userInfo),
      ("https://id.example/#x", .fragment), ("ftp://id.example/", .scheme), ("HTTPS://id.example/", .scheme),
      ("https:///authorize", .malformed), ("https://id.example:0/", .malformed), ("https://id.example:65536/", .malformed),
      (" https://id.example/", .malformed), ("https://id..example/", .malformed),
    ] as [(String, EndpointURLError)])
  func hostileEndpoints(url: String, error: EndpointURLError) throws {
    for (member, set) in Self.members {
      var issuer = try TestIssuer()
      set(&issuer.metadata, url)
      #expect(Self.error(issuer) == .endpoint(member, error))
    }
  }

  @Test(
    "C-23: an https issuer must not name http endpoints, not even on loopback",
    arguments: ["http://127.0.0.1:8080/x", "http://[::1]/x", "http://localhost/x"])
  func downgradeToLoopback(url: String) throws {
    for (member, set) in Self.members {
      var issuer = try TestIssuer()
      set(&issuer.metadata, url)
      #expect(Self.error(issuer) == .downgrade(member))
    }
  }

  @Test(
    "C-23: http with a host that is not loopback is rejected for every issuer",
    arguments: ["https://id.example", "http://localhost:9"])
  func plainHTTP(issuer: String) throws {
    for (member, set) in Self.members {
      var issuer = try TestIssuer(issuer)
      set(&issuer.metadata, "http://id.example/x")
      #expect(Self.error(issuer) == .endpoint(member, .plainHTTP))
    }
  }

  @Test("C-23: an issuer on loopback may name http endpoints there")
  func loopbackIssuer() throws {
    let issuer = try TestIssuer("http://localhost:8080")
    #expect(Self.error(issuer) == nil)
  }

  @Test(
    "C-02: a server that lists challenge methods without S256 is rejected",
    arguments: [["plain"], [], ["s256"], ["S512", "plain"]])
  func challengeMethods(methods: [String]) throws {
    var issuer = try TestIssuer()
    issuer.metadata.codeChallengeMethodsSupported = methods
    #expect(Self.error(issuer) == .s256NotSupported)
  }

  @Test("C-02: a server whose metadata has no list of challenge methods, or a list with S256, is accepted")
  func noChallengeMethods() throws {
    var issuer = try TestIssuer()
    issuer.metadata.codeChallengeMethodsSupported = nil
    #expect(Self.error(issuer) == nil)
    issuer.metadata.codeChallengeMethodsSupported = ["plain", "S256"]
    #expect(Self.error(issuer) == nil)
  }

  @Test(
    "a server that lists response types without code is rejected", arguments: [["token"], [], ["code id_token"], ["Code"]])
  func responseTypes(types: [String]) throws {
    var issuer = try TestIssuer()
    issuer.metadata.responseTypesSupported = types
    #expect(Self.error(issuer) == .codeNotSupported)
    issuer.metadata.responseTypesSupported = nil
    #expect(Self.error(issuer) == nil)
  }

  @Test("only the authorization and token endpoints are required")
  func missingEndpoints() throws {
    for (member, set) in Self.members {
      var issuer = try TestIssuer()
      set(&issuer.metadata, nil)
      #expect(Self.error(issuer) == (member == .authorization || member == .token ? .missing(member) : nil))
    }
  }

  @Test("C-32: a cached document is validated again, against the issuer that is then expected")
  func cached() throws {
    let issuer = try TestIssuer()
    let document = try ProviderMetadata(issuer.metadata, expecting: issuer.issuer).document
    #expect(document == issuer.metadata)
    let other = try Issuer("https://other.example")
    #expect(throws: DiscoveryError.issuerMismatch(found: "https://id.example")) {
      try ProviderMetadata(document, expecting: other)
    }
  }
}
