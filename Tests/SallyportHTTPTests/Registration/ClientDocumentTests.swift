import HTTPTypes
import SallyportProtocol
import SallyportRemote
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import TestSupport
import Testing

/// Without `Cache-Control`, a document is cached for an hour. An invalid document is fetched again after a minute.
@Suite("Client ID metadata documents", .timeLimit(.minutes(5)))
struct ClientDocumentTests {
  private static let id = "https://editor.example/client.json"
  private let transport = FakeTransport()

  private static var document: JSONValue {
    ["client_id": .string(id), "client_name": "Editor", "redirect_uris": ["http://127.0.0.1/cb"]]
  }

  private func publish(_ document: JSONValue = document, cacheControl: String? = nil, at url: String = id) {
    var response = TransportResponse.json(encoding: document)
    response.head.headerFields[.cacheControl] = cacheControl
    self.transport.on(url, respond: response)
  }

  private var request: AuthorizeParameters { AuthorizeParameters().with("client_id", Self.id) }
  private var fetches: Int { self.transport.requests(to: Self.id).count }

  @Test("S-31: a document client can sign users in and is shown as unverified each time, and its document is fetched once")
  func good() async throws {
    self.publish()
    try await withSite(transport: self.transport) { site in
      let metadata = try await site.send(.get, "/.well-known/oauth-authorization-server")
      #expect(metadata.body.contains(#""client_id_metadata_document_supported":true"#))
      let browser = TestBrowser(site)
      _ = try await browser.complete(self.request)
      let page = try await browser.authorize(self.request)
      #expect(page.isConsentPage && page.body.contains("unverified"))
      let code = try #require(try await browser.decide(page, "allow").parameters["code"])
      #expect(try await site.redeem(code, changing: ["client_id": Self.id]).status == .ok)
      #expect(self.fetches == 1)
      let client = try #require(try await site.client(Self.id))
      #expect(client.origin == .document && client.type == .public && client.applicationType == .native)
      // Such a client needs the user's consent each time, so a request with `prompt=none` fails. The server does not
      // redirect an error to a URI that no operator registered.
      expectErrorPage(try await browser.authorize(self.request.with("prompt", "none")))
    }
  }

  @Test("S-26: the host of a document is shown with its port, and the page links only to the same host and port")
  func port() async throws {
    let id = "https://editor.example:8443/client.json"
    var document = Self.document
    document["client_id"] = .string(id)
    document["client_uri"] = "https://editor.example:8443/about"
    document["policy_uri"] = "https://editor.example/privacy"
    self.publish(document, at: id)
    try await withSite(transport: self.transport) { site in
      let page = try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", id))
      #expect(page.body.contains("Published by <code class=\"host\"><bdi>editor.example:8443</bdi></code>"))
      let links = Markup(page.body).all("a").compactMap { $0["href"] }.filter { $0.hasPrefix("https:") }
      #expect(links == ["https://editor.example:8443/about"])
    }
  }

  @Test("S-26: pages name the document's host, link to no other host, and do not say that the app registered itself")
  func host() async throws {
    var document = Self.document
    document["client_uri"] = "https://EDITOR.example/about"
    document["policy_uri"] = "https://bank.example/privacy"
    document["tos_uri"] = "https://editor.example.evil.example/terms"
    self.publish(document)
    try await withSite(transport: self.transport) { site in
      let browser = TestBrowser(site)
      let signIn = try await browser.authorize(self.request)
      let consent = try await browser.signIn(signIn)
      #expect(signIn.isSignInPage && consent.isConsentPage)
      for page in [signIn, consent] {
        #expect(page.body.contains("Published by <code class=\"host\"><bdi>editor.example</bdi></code>"))
        #expect(page.body.contains("unverified") && !page.body.contains("registered itself"))
        #expect(!page.body.contains("bank.example") && !page.body.contains("evil.example"))
        let links = Markup(page.body).all("a").compactMap { $0["href"] }.filter { $0.hasPrefix("https:") }
        #expect(links == ["https://EDITOR.example/about"])
      }
    }
  }

  @Test(
    "an invalid document is rejected, and not fetched again immediately",
    arguments: [
      ["client_id": "https://editor.example/other.json"], ["client_id": "https://editor.example/client.json/"],
      ["client_id": nil],
      ["client_secret": "s"], ["client_secret_expires_at": 0], ["token_endpoint_auth_method": "client_secret_basic"],
      ["token_endpoint_auth_method": "private_key_jwt"], ["redirect_uris": []], ["redirect_uris": ["myapp:/cb"]],
      ["redirect_uris": ["soap.beep:/cb"]], ["client_name": "a\u{202E}b"], ["grant_types": ["implicit"]],
    ] as [[String: JSONValue?]])
  func broken(changes: [String: JSONValue?]) async throws {
    var document = Self.document
    // The value nil removes the member.
    for (name, value) in changes { document[name] = value }
    self.publish(document)
    try await withSite(transport: self.transport) { site in
      for _ in 0..<3 { expectErrorPage(try await TestBrowser(site).authorize(self.request)) }
      #expect(self.fetches == 1)
      #expect(try await site.client(Self.id) == nil)
      site.fixture.clock.advance(by: .seconds(61))
      self.publish()
      #expect(try await TestBrowser(site).authorize(self.request).isSignInPage)
    }
  }

  @Test(
    "a response that is not a document is rejected",
    arguments: [
      TransportResponse.text("<html>", status: .ok), .redirect(to: "https://editor.example/else"), .json("", status: .notFound),
      .json("{"), .json("[]"), .body([UInt8](repeating: 0x20, count: 17 << 10), type: "application/json"),
    ])
  func noDocument(response: TransportResponse) async throws {
    self.transport.on(Self.id, respond: response)
    try await withSite(transport: self.transport) { site in
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
      #expect(self.transport.requests.count == 1)
      let limits = try #require(self.transport.requests.first?.limits)
      #expect(limits.maximumBodySize <= 16 << 10 && limits.timeout <= .seconds(5))
    }
  }

  @Test(
    "no document is fetched from this machine, from a private network, over http, or from a URL that cannot be a client ID",
    arguments: [
      "https://127.0.0.1/client.json", "https://localhost/client.json", "https://db.localhost/c", "https://10.0.0.1/c",
      "https://169.254.169.254/latest", "https://[::1]/c", "https://[fd00::1]/c", "https://2130706433/c", "https://0x7f.1/c",
      "http://editor.example/client.json", "https://editor.example/", "https://editor.example/a/../c",
      "https://u@editor.example/c",
      "https://editor.example/c#f", "ftp://editor.example/c",
    ])
  func noFetch(id: String) async throws {
    try await withSite(transport: self.transport) { site in
      expectErrorPage(try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", id)))
      #expect(self.transport.requests.isEmpty)
    }
  }

  /// - Parameters:
  ///   - cacheControl: The value of the document's `Cache-Control` field.
  ///   - seconds: The resulting cache lifetime, which is at least five minutes and at most a day.
  @Test(
    "a document is fetched again after its lifetime, and its new content applies",
    arguments: [
      (nil, 3600), ("max-age=600", 600), ("max-age=1", 300), ("max-age=99999999", 86_400), ("no-store", 300),
      ("public, max-age=x", 3600),
    ])
  func renewal(cacheControl: String?, seconds: Int) async throws {
    self.publish(cacheControl: cacheControl)
    try await withSite(transport: self.transport) { site in
      _ = try await TestBrowser(site).authorize(self.request)
      site.fixture.clock.advance(by: .seconds(seconds - 1))
      _ = try await TestBrowser(site).authorize(self.request)
      #expect(self.fetches == 1)
      site.fixture.clock.advance(by: .seconds(2))
      var other = Self.document
      other["redirect_uris"] = ["http://127.0.0.1/new"]
      self.publish(other)
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
      #expect(self.fetches == 2)
    }
  }

  @Test(
    """
    while its publisher cannot be reached, a document stays valid after its cache lifetime, but for at most a day; a withdrawn \
    document is rejected on the next fetch
    """)
  func unreachable() async throws {
    self.publish()
    try await withSite(transport: self.transport) { site in
      _ = try await TestBrowser(site).authorize(self.request)
      self.transport.on(Self.id, fail: .timedOut)
      site.fixture.clock.advance(by: .seconds(3601))
      #expect(try await TestBrowser(site).authorize(self.request).isSignInPage)
      site.fixture.clock.advance(by: .seconds(86_401))
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
      self.publish()
      site.fixture.clock.advance(by: .seconds(61))
      #expect(try await TestBrowser(site).authorize(self.request).isSignInPage)
      self.transport.on(Self.id, respond: .json("", status: .gone))
      site.fixture.clock.advance(by: .seconds(3601))
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
    }
  }

  @Test("fetches are limited, concurrent fetches of one document are shared, and the number of clients is limited")
  func quotas() async throws {
    let gate = Gate()
    self.transport.on(Self.id) { _ in
      await gate.wait()
      return .success(.json(encoding: Self.document))
    }
    try await withSite(transport: self.transport, configure: { $0.registration.perMinute = 4 }) { site in
      async let one = TestBrowser(site).authorize(self.request)
      async let other = TestBrowser(site).authorize(self.request)
      await self.transport.waitForRequests(1, to: Self.id)
      gate.open()
      #expect(try await one.isSignInPage)
      #expect(try await other.isSignInPage)
      #expect(self.fetches == 1)
      // Clients that never obtained a grant get two of the four fetches per minute, and one has been used.
      for number in 1...3 {
        let url = "https://editor.example/\(number)"
        var document = Self.document
        document["client_id"] = .string(url)
        self.publish(document, at: url)
        let reply = try await TestBrowser(site).authorize(AuthorizeParameters().with("client_id", url))
        #expect(reply.isSignInPage == (number == 1))
      }
    }
    self.publish()
    try await withSite(transport: self.transport, configure: { $0.registration.maximumClients = 0 }) { site in
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
    }
  }

  @Test("nothing is fetched if an operator registered the client with a URL as its ID, or if client ID documents are off")
  func off() async throws {
    self.publish()
    try await withSite(transport: self.transport) { site in
      let record = ClientRecord(
        id: ClientID(rawValue: Self.id), name: "Own", type: .public, applicationType: .native,
        redirectURIs: [try RedirectURI("http://127.0.0.1/cb")], scope: "openid", createdAt: site.fixture.clock.now)
      try await site.fixture.store.write { (tx) throws(StoreError) in try tx.insert(record) }
      #expect(try await TestBrowser(site).authorize(self.request).isSignInPage)
      #expect(self.fetches == 0)
    }
    try await withSite(transport: self.transport, configure: { $0.registration.acceptsDocuments = false }) { site in
      expectErrorPage(try await TestBrowser(site).authorize(self.request))
      #expect(self.fetches == 0)
      let metadata = try await site.send(.get, "/.well-known/oauth-authorization-server")
      #expect(!metadata.body.contains("client_id_metadata_document_supported"))
    }
  }
}
