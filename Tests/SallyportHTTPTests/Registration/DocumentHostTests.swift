import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

@Suite("Client ID documents on an intranet", .timeLimit(.minutes(5)))
struct DocumentHostTests {
  private static let listedURL = "https://apps.corp/client.json"

  /// Runs `body` on a server that may fetch documents from `hosts`, which the operator named, even on a private
  /// network. The transport for dynamic clients and the operator's transport both return a document for `url`.
  private func site(
    hosts: Set<String>, publishing url: String,
    _ body: @Sendable (Site, _ publicTransport: FakeTransport, _ operatorTransport: FakeTransport) async throws -> Void
  ) async throws {
    let (publicTransport, operatorTransport) = (FakeTransport(), FakeTransport())
    for transport in [publicTransport, operatorTransport] {
      transport.on(
        url, respond: .json(encoding: ["client_id": .string(url), "redirect_uris": ["http://127.0.0.1/cb"]] as JSONValue))
    }
    try await withSite(
      transport: publicTransport, operatorTransport: operatorTransport, configure: { $0.registration.documentHosts = hosts }
    ) { site in
      try await body(site, publicTransport, operatorTransport)
    }
  }

  @Test(
    "a document on a host that the operator named is fetched with the operator's transport",
    arguments: [
      ("apps.corp", "https://apps.corp/client.json"), ("apps.corp", "https://apps.corp:443/client.json"),
      ("10.0.0.7:8443", "https://10.0.0.7:8443/client.json"), ("localhost", "https://localhost/client.json"),
    ])
  func listed(host: String, url: String) async throws {
    try await self.site(hosts: [host], publishing: url) { site, publicTransport, operatorTransport in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", url))
      #expect(page.isSignInPage)
      #expect(publicTransport.requests.isEmpty && operatorTransport.requests.map(\.url) == [url])
    }
  }

  @Test(
    "no document is fetched from a private host that the operator did not name, even if it resembles a named host",
    arguments: [
      "https://10.0.0.8/client.json", "https://apps.corp.localhost/client.json", "https://localhost/client.json",
      "https://10.0.0.7/client.json", "https://[fd00::7]/client.json",
    ])
  func rejected(url: String) async throws {
    try await self.site(hosts: ["apps.corp", "10.0.0.7:8443"], publishing: url) { site, publicTransport, operatorTransport in
      expectErrorPage(try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", url)))
      #expect(publicTransport.requests.isEmpty && operatorTransport.requests.isEmpty)
    }
  }

  @Test(
    "a document on a public host that only resembles a named host is fetched with the transport for dynamic clients",
    arguments: ["https://x.apps.corp/client.json", "https://apps.corp:8443/client.json", "https://apps.corp.evil.example/c"])
  func lookalikes(url: String) async throws {
    try await self.site(hosts: ["apps.corp"], publishing: url) { site, publicTransport, operatorTransport in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", url))
      #expect(page.isSignInPage)
      #expect(publicTransport.requests.map(\.url) == [url] && operatorTransport.requests.isEmpty)
    }
  }

  @Test("a named host is not requested if client ID documents are off, and never over http")
  func off() async throws {
    try await self.site(hosts: ["apps.corp"], publishing: "http://apps.corp/client.json") {
      site, publicTransport, operatorTransport in
      let request = AuthorizeParameters().with("client_id", "http://apps.corp/client.json")
      expectErrorPage(try await TestBrowser(site).authorize(request))
      #expect(publicTransport.requests.isEmpty && operatorTransport.requests.isEmpty)
    }
    let operatorTransport = FakeTransport()
    try await withSite(
      transport: FakeTransport(), operatorTransport: operatorTransport,
      configure: {
        $0.registration.documentHosts = ["apps.corp"]
        $0.registration.acceptsDocuments = false
      }
    ) { site in
      expectErrorPage(try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", Self.listedURL)))
      #expect(operatorTransport.requests.isEmpty)
    }
  }
}
