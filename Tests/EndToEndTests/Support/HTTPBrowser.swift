import HTTPTypes
import SallyportProtocol
import SallyportRemote

/// A minimal browser that keeps cookies, follows redirects, and submits the server's forms.
///
/// It is for tests that do not need a real browser, such as load tests.
actor HTTPBrowser {
  private let transport: any Transport
  private let origin: String
  private var cookies: [String: String] = [:]

  init(issuer: String, transport: any Transport) {
    self.origin = issuer
    self.transport = transport
  }

  /// Opens an authorization request, signs in, and decides on consent.
  /// - Parameter decision: `allow` or `deny`.
  /// - Returns: The redirect URI with the authorization response.
  func authorize(_ url: String, as account: ServerHome.Account, decision: String = "allow") async throws -> String {
    var page = try await self.open(url)
    for _ in 0..<4 {
      if let location = page.location { return location }
      if page.text.contains(#"name="username""#) {
        page = try await self.submit(page, [("username", account.name), ("password", account.password)])
      } else if page.text.contains(#"name="decision""#) {
        page = try await self.submit(page, [("decision", decision)])
      } else {
        break
      }
    }
    if let location = page.location { return location }
    throw UnexpectedResult("the pages did not lead to a redirect; the last one was \(page.status):\n\(page.text)")
  }

  struct Page {
    var url: String
    var status: Int
    var text: String
    /// The target of a redirect that leaves the server.
    var location: String?
  }

  /// Loads a page and follows redirects within the server.
  func open(_ url: String) async throws -> Page {
    try await self.load(HTTPRequest.get(EndpointURL(url), accept: "text/html"), url: url)
  }

  /// Signs in on the account page, and returns the account page.
  func openAccount(as account: ServerHome.Account) async throws -> Page {
    let signIn = try await self.open(self.origin + "/account")
    return try await self.submit(signIn, [("username", account.name), ("password", account.password)])
  }

  /// Signs out on the server's page.
  func signOut() async throws {
    let page = try await self.submit(try await self.open(self.origin + "/sign-out"), [])
    guard page.text.contains("You are signed out") else { throw UnexpectedResult("not signed out:\n\(page.text)") }
  }

  /// Submits the first form of a page with its CSRF token and these fields.
  func submit(_ page: Page, _ fields: [(name: String, value: String)]) async throws -> Page {
    guard let action = page.text.firstMatch(of: #/<form method="post" action="([^"]*)"/#)?.1,
      let csrf = page.text.firstMatch(of: #/name="csrf" value="([^"]*)"/#)?.1
    else { throw UnexpectedResult("no form on the page:\n\(page.text)") }
    let url = self.resolve(String(action).replacing("&amp;", with: "&"), from: page.url)
    var request = HTTPRequest.post(form: try EndpointURL(url))
    request.headerFields[.origin] = self.origin
    return try await self.load(request, url: url, body: FormParameters.encode([("csrf", String(csrf))] + fields))
  }

  private func load(_ request: HTTPRequest, url: String, body: String = "") async throws -> Page {
    var request = request
    var url = url
    var body = body
    for _ in 0..<10 {
      if !self.cookies.isEmpty {
        request.headerFields[.cookie] = self.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
      }
      let response = try await self.transport.send(request, body: Array(body.utf8), limits: .document)
      self.keepCookies(response.head.headerFields[values: .setCookie])
      guard (300..<400).contains(response.head.status.code), let target = response.head.headerFields[.location] else {
        return Page(url: url, status: response.head.status.code, text: String(decoding: response.body, as: UTF8.self))
      }
      url = self.resolve(target, from: url)
      guard url.hasPrefix(self.origin + "/") else {
        return Page(url: url, status: response.head.status.code, text: "", location: url)
      }
      request = HTTPRequest.get(try EndpointURL(url), accept: "text/html")
      body = ""
    }
    throw UnexpectedResult("redirected ten times")
  }

  private func resolve(_ target: String, from base: String) -> String {
    if target.hasPrefix("/") { return self.origin + target }
    if target.hasPrefix("?") || target.isEmpty { return base.prefix { $0 != "?" } + target }
    return target
  }

  private func keepCookies(_ fields: [String]) {
    for field in fields {
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = pair.first else { continue }
      self.cookies[name] = pair.count == 2 ? pair[1] : nil
    }
  }
}
