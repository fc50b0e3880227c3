import HTTPTypes
import ServerTestSupport
import Testing

extension TestBrowser {
  /// Signs in on the account page, and returns the next page: the account page, or another page if the sign-in fails or
  /// is not complete, for example because a code is required.
  @discardableResult
  func openAccount(as username: String = "ada", password: String = TestServer.password) async throws -> Reply {
    try await self.signIn(try await self.open("/account"), as: username, password: password)
  }

  /// The value of the session cookie.
  var session: String? { self.cookies["__Host-sallyport"] }

  /// Posts a form of the account page with its CSRF token.
  func postAccount(_ path: String, _ fields: [(name: String, value: String)]) async throws -> Reply {
    let page = try await self.get("/account")
    return try await self.post("/account/\(path)", [("csrf", try #require(page.accountCSRF))] + fields)
  }
}

extension Reply {
  var isAccountPage: Bool { self.isPage && self.body.contains("<h1>Your account</h1>") }

  /// The CSRF token of the account page's own forms. The page's first form, for signing out, has another token.
  var accountCSRF: String? {
    self.body.firstMatch(of: /action="[^"]*\/account\/profile">\n<input type="hidden" name="csrf" value="([^"]*)"/)
      .map { String($0.1) }
  }

  /// The text that the page shows after a form was posted.
  var statusText: String? {
    self.body.firstMatch(of: /<p class="note (?:done|alert)" role="(?:status|alert)"(?: id="failure")?>([^<]*)</).map {
      String($0.1)
    }
  }

  /// The identifiers of the sessions that the account page can end.
  var endableSessionIDs: [String] {
    self.body.matches(of: /name="browser" value="([^"]*)"/).map { String($0.1) }
  }
}
