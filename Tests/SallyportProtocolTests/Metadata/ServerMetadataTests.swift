#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SallyportProtocol
import Testing

struct ServerMetadataTests {
  @Test("the JSON names are those of RFC 8414 and OpenID Connect Discovery, and unknown names are ignored")
  func names() throws {
    let json = """
      {"issuer":"https://id.example","authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"j","userinfo_endpoint":"u",
      "revocation_endpoint":"r","end_session_endpoint":"e","scopes_supported":["openid"],"response_types_supported":["code"],
      "code_challenge_methods_supported":["S256"],"id_token_signing_alg_values_supported":["ES256"],
      "authorization_response_iss_parameter_supported":true,"prompt_values_supported":["login"],"unknown":{"x":[1]}}
      """
    let metadata = try JSONDecoder().decode(ServerMetadata.self, from: Data(json.utf8))
    #expect(metadata.issuer == "https://id.example")
    #expect(metadata.authorizationEndpoint == "a")
    #expect(metadata.tokenEndpoint == "t")
    #expect(metadata.jwksURI == "j")
    #expect(metadata.userinfoEndpoint == "u")
    #expect(metadata.revocationEndpoint == "r")
    #expect(metadata.endSessionEndpoint == "e")
    #expect(metadata.scopesSupported == ["openid"])
    #expect(metadata.responseTypesSupported == ["code"])
    #expect(metadata.codeChallengeMethodsSupported == ["S256"])
    #expect(metadata.idTokenSigningAlgValuesSupported == ["ES256"])
    #expect(metadata.authorizationResponseIssParameterSupported == true)
    #expect(metadata.promptValuesSupported == ["login"])
    #expect(try JSONDecoder().decode(ServerMetadata.self, from: JSONEncoder().encode(metadata)) == metadata)
  }
}
