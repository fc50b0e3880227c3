import Foundation
import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Null characters in requests")
struct NullCharacterTests {
  @Test("a null character in a parameter is rejected with 400, and in Basic credentials with 401")
  func nullCharacters() async throws {
    try await withSite { site in
      for path in ["/token", "/revoke", "/introspect", "/par", "/device_authorization"] {
        for name in ["client_id", "nonce", "code", "refresh_token", "resource"] {
          let fields = [("grant_type", "refresh_token"), ("client_id", "loopback")].filter { $0.0 != name } + [(name, "a\0b")]
          expectTokenError(try await site.post(path, fields), "invalid_request")
        }
      }
      let browser = TestBrowser(site)
      expectErrorPage(try await browser.authorize(AuthorizeParameters().with("nonce", "a\0b")))
      let page = try await browser.authorize(AuthorizeParameters())
      expectErrorPage(try await browser.signIn(page, as: "ada\0"))
      let credentials = "Basic " + Data("a%00b:secret".utf8).base64EncodedString()
      expectTokenError(
        try await site.post("/token", [("grant_type", "client_credentials")], authorization: credentials), "invalid_client",
        status: .unauthorized)
      var metadata = Site.mcpClient
      metadata["client_name"] = "a\0b"
      expectRegistrationError(try await site.register(metadata), "invalid_client_metadata")
    }
  }
}
