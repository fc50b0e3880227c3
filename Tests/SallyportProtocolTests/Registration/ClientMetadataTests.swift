#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import Testing

@Suite("Client metadata")
struct ClientMetadataTests {
  private static func read(_ json: String) throws -> ClientMetadata {
    try JSONDecoder().decode(ClientMetadata.self, from: Data(json.utf8))
  }

  private static func check(_ json: String) throws -> CheckedClientMetadata {
    try CheckedClientMetadata(self.read(json))
  }

  @Test("members are decoded as they were encoded, including localized names")
  func roundTrip() throws {
    var metadata = ClientMetadata(native: "Notes", redirectURIs: [try RedirectURI("http://127.0.0.1/cb")])
    metadata.localizedClientNames = ["de": "Notizen", "ja-Jpan-JP": "メモ"]
    metadata.jwks = ClientKeySet(keys: [ClientKeySet.Key(es256: [UInt8](repeating: 7, count: 64), id: "k")])
    metadata.defaultMaxAge = 60
    metadata.dpopBoundAccessTokens = true
    metadata.postLogoutRedirectURIs = ["com.example.notes:/out"]
    metadata.backchannelLogoutURI = "https://notes.example/out"
    let data = try JSONEncoder().encode(metadata)
    #expect(try JSONDecoder().decode(ClientMetadata.self, from: data) == metadata)
    let text = String(decoding: data, as: UTF8.self)
    for name in ["redirect_uris", "client_name#de", "default_max_age", "dpop_bound_access_tokens", "backchannel_logout_uri"] {
      #expect(text.contains("\"\(name)\""))
    }
  }

  @Test(
    "S-10: the application type is the one in the metadata, or follows from the redirect URIs if the metadata has none",
    arguments: [
      (#"["http://127.0.0.1/cb"]"#, nil, "native"), (#"["http://[::1]:8080/cb","com.example.app:/cb"]"#, nil, "native"),
      (#"["http://localhost:33418/"]"#, nil, "native"), (#"["https://app.example/cb"]"#, nil, "web"),
      (#"["https://app.example/cb","http://127.0.0.1/cb"]"#, "native", "native"),
      (#"["https://app.example/cb"]"#, "native", "native"),
      (#"["https://app.example/cb"]"#, "web", "web"), (#"["http://localhost/cb"]"#, "web", "web"),
      (#"["https://app.example/cb","http://127.0.0.1/cb"]"#, nil, "web"),
      (#"["https://app.example/cb","com.example.app:/cb"]"#, nil, "native"),
    ])
  func applicationType(uris: String, type: String?, expected: String) throws {
    let member = type.map { #","application_type":"\#($0)""# } ?? ""
    #expect(try Self.check(#"{"redirect_uris":\#(uris)\#(member)}"#).applicationType.rawValue == expected)
  }

  @Test(
    "S-10: a client without authentication and with a native app's redirect URI is native, even if the client registers as web",
    arguments: [
      (#"["https://app.example/cb","http://127.0.0.1/cb"]"#, "native"), (#"["http://localhost/cb"]"#, "native"),
      (#"["com.example.app:/cb"]"#, "native"), (#"["https://app.example/cb"]"#, "web"),
    ])
  func inferredType(uris: String, expected: String) throws {
    for applicationType in ["", #","application_type":"web""#] {
      let json = #"{"redirect_uris":\#(uris),"token_endpoint_auth_method":"none"\#(applicationType)}"#
      #expect(try Self.check(json).applicationType.rawValue == expected)
    }
  }

  @Test(
    "S-32: redirect URIs that are not allowed are rejected as invalid_redirect_uri",
    arguments: [
      (#"["soap.beep:/cb"]"#, ClientMetadataError.redirectURI(index: 0, .registeredScheme)),
      (#"["z39.50r:/cb"]"#, .redirectURI(index: 0, .registeredScheme)),
      (#"["https://a.example/","mailto:a@b.example"]"#, .redirectURI(index: 1, .schemeWithoutPeriod)),
      (#"["javascript:alert(1)"]"#, .redirectURI(index: 0, .schemeWithoutPeriod)),
      (#"["myapp:/cb"]"#, .redirectURI(index: 0, .schemeWithoutPeriod)),
      (#"["com.example.app://cb"]"#, .redirectURI(index: 0, .notSingleSlash)),
      (#"["http://app.example/cb"]"#, .redirectURI(index: 0, .plainHTTP)),
      (#"["http://127.0.0.1.evil.example/cb"]"#, .redirectURI(index: 0, .plainHTTP)),
      (#"["https://app.example/cb#f"]"#, .redirectURI(index: 0, .fragment)),
      (#"["https://app.example@evil.example/cb"]"#, .redirectURI(index: 0, .userInfo)),
      (#"["https://app.example/a/../cb"]"#, .redirectURI(index: 0, .dotSegment)), (#"[""]"#, .redirectURI(index: 0, .malformed)),
      (#"["https://*.example/cb", "urn:ietf:wg:oauth:2.0:oob"]"#, .redirectURI(index: 0, .malformed)), (#"[]"#, .noRedirectURI),
    ])
  func redirectURIs(uris: String, error: ClientMetadataError) throws {
    #expect(throws: error) { try Self.check(#"{"redirect_uris":\#(uris)}"#) }
    #expect(error.code == .invalidRedirectURI)
  }

  @Test(
    "S-10: a confidential web client cannot have a private-use redirect URI",
    arguments: [
      "com.example.app:/cb", "msapp://s-1-15-2-1/",
    ])
  func webClient(uri: String) throws {
    #expect(throws: ClientMetadataError.redirectURINotForWeb(index: 1)) {
      try Self.check(#"{"redirect_uris":["https://a.example/","\#(uri)"],"application_type":"web"}"#)
    }
  }

  @Test("the number and length of redirect URIs are limited")
  func bounds() throws {
    let many = (0..<33).map { #""https://a.example/\#($0)""# }.joined(separator: ",")
    #expect(throws: ClientMetadataError.tooManyRedirectURIs) { try Self.check(#"{"redirect_uris":[\#(many)]}"#) }
    let long = "https://a.example/" + String(repeating: "a", count: 2048)
    #expect(throws: ClientMetadataError.redirectURITooLong(index: 0)) { try Self.check(#"{"redirect_uris":["\#(long)"]}"#) }
  }

  @Test(
    "invalid and inconsistent members are rejected as invalid_client_metadata",
    arguments: [
      (#""application_type":"desktop""#, ClientMetadataError.member("application_type", .unsupported(["native", "web"]))),
      (#""grant_types":["implicit"],"response_types":["token"]"#, .grantTypes),
      (#""grant_types":["authorization_code","implicit"]"#, .grantTypes), (#""grant_types":["password"]"#, .grantTypes),
      (#""grant_types":["authorization_code"],"response_types":["code","token"]"#, .grantTypes),
      (#""grant_types":["authorization_code"],"response_types":["code id_token"]"#, .grantTypes),
      (#""grant_types":["authorization_code"],"response_types":[]"#, .grantTypes),
      (#""grant_types":["client_credentials"],"response_types":["code"]"#, .grantTypes), (#""grant_types":[]"#, .grantTypes),
      (
        #""token_endpoint_auth_method":"private_key_jwt""#,
        .member("jwks", .requiredBy(#"token_endpoint_auth_method "private_key_jwt""#))
      ),
      (#""token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[]}"#, .member("jwks", .keySet)),
      (
        #""jwks":{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]},"jwks_uri":"https://a.example/jwks""#,
        .member("jwks", .excludedBy("jwks_uri"))
      ),
      (#""jwks":{"keys":[{"kty":"EC","crv":"P-256"}]}"#, .member("jwks", .keySet)),
      (#""jwks":{"keys":[{"kty":"oct"}]}"#, .member("jwks", .keySet)),
      (#""jwks":{"keys":[{"kty":"EC","x":"A+A=","y":"AA"}]}"#, .member("jwks", .keySet)),
      (#""token_endpoint_auth_method":"none","grant_types":["authorization_code","client_credentials"]"#, .authenticationMissing),
      (#""jwks_uri":"http://a.example/jwks""#, .member("jwks_uri", .notEndpoint)),
      (#""jwks_uri":"file:///etc/passwd""#, .member("jwks_uri", .notEndpoint)),
      (#""logo_uri":"javascript:alert(1)""#, .member("logo_uri", .notEndpoint)),
      (#""logo_uri":"data:image/png,x""#, .member("logo_uri", .notEndpoint)),
      (#""client_uri":"http://10.0.0.1/""#, .member("client_uri", .notEndpoint)),
      (#""tos_uri":"https://a@b.example/""#, .member("tos_uri", .notEndpoint)),
      (#""policy_uri":"""#, .member("policy_uri", .notEndpoint)),
      (#""backchannel_logout_uri":"gopher://a.example/""#, .member("backchannel_logout_uri", .notEndpoint)),
      (#""post_logout_redirect_uris":["http://a.example/"]"#, .member("post_logout_redirect_uris", .notRedirectURI)),
      (#""client_name":"  ""#, .member("client_name", .length(maximum: 200))),
      (#""client_name":"a\u0000b""#, .member("client_name", .unreadable)),
      (#""client_name":"Bank\u202Egpj""#, .member("client_name", .unreadable)),
      (#""client_name":"Ba\u200Bnk""#, .member("client_name", .unreadable)),
      (#""client_name":"a\nb""#, .member("client_name", .unreadable)),
      (#""client_name#de":"\u001B[2J""#, .member("client_name", .unreadable)),
      (#""client_name#<b>":"x""#, .member("client_name", .languageTag)),
      (#""contacts":["a\r\nBcc: b"]"#, .member("contacts", .unreadable)),
      (#""scope":"a\"b""#, .member("scope", .scopeSyntax)), (#""scope":"a\\b""#, .member("scope", .scopeSyntax)),
      (#""default_max_age":-1"#, .member("default_max_age", .negative)),
      (#""default_max_age":2147483648"#, .member("default_max_age", .tooLarge(maximum: 2_147_483_647))),
      (#""default_max_age":9223372036854775807"#, .member("default_max_age", .tooLarge(maximum: 2_147_483_647))),
      (#""software_id":"""#, .member("software_id", .length(maximum: 256))),
    ])
  func invalidMembers(members: String, error: ClientMetadataError) throws {
    #expect(throws: error) { try Self.check(#"{"redirect_uris":["https://a.example/cb"],\#(members)}"#) }
    #expect(error.code == .invalidClientMetadata)
  }

  @Test(
    "a member of the wrong type, or a private key in jwks, causes a decoding error",
    arguments: [
      #"{"redirect_uris":"https://a.example/"}"#, #"{"redirect_uris":[1]}"#, #"{"client_name":["a"]}"#,
      #"{"grant_types":"authorization_code"}"#, #"{"dpop_bound_access_tokens":"true"}"#, #"{"jwks":[]}"#,
      #"{"client_name#de":1}"#,
      #"{"jwks":{"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"AA"}]}}"#,
      #"{"jwks":{"keys":[{"kty":"oct","k":"AA"}]}}"#,
      "[]", "1", "",
    ])
  func wrongTypes(json: String) {
    #expect(throws: (any Error).self) { try Self.read(json) }
  }

  @Test("null counts as absent, unknown members are ignored, and duplicate redirect URIs are removed")
  func tolerated() throws {
    let checked = try Self.check(
      #"{"redirect_uris":["https://a.example/","https://a.example/"],"client_name":null,"x":{"y":[1]},"scope":""}"#)
    #expect(checked.metadata.redirectURIs == ["https://a.example/"])
    #expect(checked.metadata.clientName == nil)
    #expect(checked.scope == nil)
    #expect(checked.tokenEndpointAuthMethod == "client_secret_basic")
    #expect(checked.grantTypes == ["authorization_code"])
  }

  @Test("a client without the code flow needs no redirect URI")
  func withoutRedirect() throws {
    let checked = try Self.check(
      #"{"grant_types":["urn:ietf:params:oauth:grant-type:device_code"],"token_endpoint_auth_method":"none"}"#)
    #expect(checked.redirectURIs.isEmpty)
  }
}
