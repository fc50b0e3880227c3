import HTTPTypes
import SallyportHTTP
import SallyportProtocol
import ServerTestSupport
import Testing

@Suite("Style sheet and icon")
struct AssetTests {
  @Test(
    "the style sheet and the icon are at the URLs in the pages, and can be cached for a year",
    arguments: ["https://id.example", "https://id.example/tenant"])
  func assets(issuer: String) async throws {
    try await withSite(issuer: issuer) { site in
      let page = try await site.send(.get, "\(site.issuer.path)/sign-out")
      let links = Markup(page.body).all("link")
      #expect(links.map { $0["rel"] } == ["stylesheet", "icon"])
      for (link, type) in zip(links, ["text/css; charset=utf-8", "image/svg+xml"]) {
        let reply = try await site.send(.get, link["href"] ?? "")
        #expect(reply.status == .ok && reply.headers[.contentType] == type)
        #expect(reply.headers[.cacheControl] == "public, max-age=31536000, immutable")
      }
      #expect(page.headers[.contentSecurityPolicy]?.contains("style-src 'self'; img-src 'self';") == true)
    }
  }

  @Test("the icon that browsers request by default exists, and can be cached for a day")
  func favicon() async throws {
    try await withSite(issuer: "https://id.example/tenant") { site in
      let reply = try await site.send(.get, "/favicon.ico")
      #expect(reply.status == .ok && reply.headers[.contentType] == "image/svg+xml")
      #expect(reply.headers[.cacheControl] == "public, max-age=86400")
      #expect(reply.body.hasPrefix("<svg"))
    }
  }
}
