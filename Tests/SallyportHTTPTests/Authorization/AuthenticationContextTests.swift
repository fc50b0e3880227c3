import Foundation
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Authentication context: acr and amr")
struct AuthenticationContextTests {
  /// The `acr` of a sign-in with a password.
  private static let passwordACR = "1"

  @Test("access tokens, ID tokens, and refreshed ID tokens contain the acr and amr of the sign-in, whatever acr_values is")
  func reportedContext() async throws {
    try await withSite { site in
      let metadata = try await site.send(.get, "/.well-known/openid-configuration").body
      #expect(metadata.contains(#""acr_values_supported":["\#(Self.passwordACR)","2","phr"]"#))
      #expect(metadata.contains(#""ui_locales_supported":["en""#))
      for values in [nil, Self.passwordACR, "1 2", "urn:mace:incommon:iap:silver"] {
        let request = AuthorizeParameters().with("acr_values", values)
        let tokens = try Tokens(try await site.redeem(try await site.code(request)))
        let refreshed = try Tokens(try await site.refresh(tokens.refresh))
        for token in [tokens.id, refreshed.id, tokens.access] {
          let claims = try decodedClaims(of: token)
          #expect(claims["acr"] as? String == Self.passwordACR)
          #expect(claims["amr"] as? [String] == ["pwd"])
        }
      }
    }
  }

  @Test(
    "OpenID Connect Core §5.5.1.1: only an essential acr that cannot be satisfied causes unmet_authentication_requirements",
    arguments: [
      (#"{"essential":true,"values":["urn:example:sca"]}"#, false), (#"{"essential":true,"value":"0"}"#, false),
      (#"{"essential":true,"values":[1]}"#, false),
      (#"{"essential":true,"values":["0","\#(passwordACR)"]}"#, true), (#"{"essential":true,"value":"\#(passwordACR)"}"#, true),
      (#"{"essential":true}"#, true), (#"{"values":["urn:example:sca"]}"#, true),
      (#"{"essential":false,"value":"1"}"#, true), ("null", true),
    ])
  func essential(acr: String, isAccepted: Bool) async throws {
    try await withSite { site in
      let request = AuthorizeParameters().with("claims", #"{"id_token":{"acr":\#(acr)}}"#)
      let reply = try await TestBrowser(site).authorize(request)
      if isAccepted {
        #expect(reply.isSignInPage)
      } else {
        expectErrorRedirect(reply, "unmet_authentication_requirements", request)
      }
    }
  }

  @Test(
    "a request for languages is accepted, whether or not the server supports them", arguments: ["ui_locales", "claims_locales"])
  func locales(name: String) async throws {
    try await withSite { site in
      for value in ["de", "fr-CA fr en", "x"] {
        let page = try await TestBrowser(site).authorize(AuthorizeParameters().with(name, value))
        #expect(page.isSignInPage)
      }
    }
  }
}
