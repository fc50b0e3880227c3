package import HTTPTypes
import Hummingbird
import SallyportProtocol
import SallyportServer
package import ServerTestSupport
import Testing

/// A browser with a cookie jar. `get` and `post` follow no redirects. `open`, `submit`, and the methods that call them
/// follow redirects to URLs of the server.
package final class TestBrowser {
  package let site: Site
  package var cookies: [String: String] = [:]

  private let headers: HTTPFields

  /// - Parameter headers: Header fields that every request has.
  package init(_ site: Site, headers: HTTPFields = [:]) {
    self.site = site
    self.headers = headers
  }

  /// Sends a GET request and follows no redirect.
  package func get(_ url: String) async throws -> Reply {
    try await self.send(.get, url)
  }

  /// Opens a URL and follows its redirects. The result is the first response that does not redirect to this server.
  package func open(_ url: String) async throws -> Reply {
    try await self.following(try await self.get(url))
  }

  /// Opens an authorization request.
  package func authorize(_ request: AuthorizeParameters) async throws -> Reply {
    try await self.open("/authorize?\(request.query)")
  }

  /// Posts a form with the `Origin` field that a page of this server would send, or with `headers` instead. Follows no
  /// redirect.
  package func post(_ url: String, _ fields: [(name: String, value: String)], headers: HTTPFields? = nil) async throws -> Reply {
    var all = headers ?? [.origin: self.site.issuer.origin]
    all[.contentType] = "application/x-www-form-urlencoded"
    return try await self.send(.post, url, headers: all, body: Array((FormParameters.encode(fields).utf8)))
  }

  /// Posts the page's form with its CSRF token and these fields, and follows the redirects.
  package func submit(_ page: Reply, _ fields: [(name: String, value: String)]) async throws -> Reply {
    let (action, csrf) = (try #require(page.formAction), try #require(page.csrf))
    return try await self.following(try await self.post(action, [("csrf", csrf)] + fields))
  }

  /// Submits the sign-in page.
  package func signIn(_ page: Reply, as username: String = "ada", password: String = TestServer.password) async throws -> Reply {
    try await self.submit(page, [("username", username), ("password", password)])
  }

  /// Submits the consent page.
  /// - Parameter decision: Normally `allow` or `deny`; nil to omit the field.
  package func decide(_ page: Reply, _ decision: String?) async throws -> Reply {
    try await self.submit(page, decision.map { [("decision", $0)] } ?? [])
  }

  /// Completes an authorization request: signs in and allows access if the server asks.
  package func complete(_ request: AuthorizeParameters, as username: String = "ada") async throws -> Reply {
    var reply = try await self.authorize(request)
    if reply.isSignInPage { reply = try await self.signIn(reply, as: username) }
    if reply.isConsentPage { reply = try await self.decide(reply, "allow") }
    return reply
  }

  private func following(_ first: Reply) async throws -> Reply {
    var reply = first
    for _ in 0..<10 {
      guard let location = reply.location, self.isOnServer(location) else { return reply }
      #expect(reply.status == .seeOther)
      reply = try await self.get(location)
    }
    Issue.record("too many redirects")
    return reply
  }

  private func isOnServer(_ url: String) -> Bool {
    url.hasPrefix("/") || url.hasPrefix(self.site.issuer.origin + "/")
  }

  private func send(
    _ method: HTTPRequest.Method, _ url: String, headers: HTTPFields = [:], body: [UInt8]? = nil
  ) async throws -> Reply {
    var headers = headers
    headers.append(contentsOf: self.headers)
    if !self.cookies.isEmpty {
      headers[.cookie] = self.cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")
    }
    let origin = self.site.issuer.origin
    // Browsers do not send the fragment.
    let path = String((url.hasPrefix(origin) ? url.dropFirst(origin.count) : url[...]).prefix { $0 != "#" })
    let reply = try await self.site.send(method, path, headers: headers, body: body)
    for field in reply.headers[values: .setCookie] {
      let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // The server deletes a cookie with `Max-Age=0`.
      self.cookies[String(pair[0])] = field.contains("Max-Age=0") ? nil : String(pair[1])
    }
    return reply
  }
}
