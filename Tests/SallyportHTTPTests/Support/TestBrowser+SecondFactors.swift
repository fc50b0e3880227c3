import HTTPTestSupport
import HTTPTypes
import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

extension TestBrowser {
  private var now: Timestamp { self.site.fixture.clock.now }

  /// Sets up an authenticator app on the account page, after signing in with the password if necessary. The clock then
  /// advances by one time step, so that the app shows a new code.
  /// - Returns: The app, and the recovery codes that the page shows. There are none if the account has unused ones.
  @discardableResult
  func addApp(as username: String = "ada") async throws -> (app: TestAuthenticatorApp, codes: [String]) {
    var page = try await self.open("/account/authenticator")
    if page.isSignInPage { page = try await self.signIn(page, as: username) }
    let app = try #require(TestAuthenticatorApp(page))
    let reply = try await self.submitApp(page, code: app.code(at: self.now))
    self.site.fixture.clock.advance(by: .seconds(30))
    return (app, reply.recoveryCodes)
  }

  /// Submits the page that sets up an authenticator app.
  func submitApp(_ page: Reply, code: String) async throws -> Reply {
    try await self.submit(
      page, [("enrollment", try #require(page.hidden("enrollment"))), ("code", code), ("action", "add-app")])
  }

  /// Submits the page that asks for a code.
  func enter(_ code: String, on page: Reply) async throws -> Reply {
    try await self.submit(page, [("state", try #require(page.hidden("state"))), ("code", code)])
  }

  /// Signs in on the account page with the password and a code of the app. The clock then advances by one time step.
  @discardableResult
  func openAccount(as username: String = "ada", with app: TestAuthenticatorApp) async throws -> Reply {
    let page = try await self.openAccount(as: username)
    let reply = try await self.enter(app.code(at: self.now), on: page)
    self.site.fixture.clock.advance(by: .seconds(30))
    return reply
  }
}

extension TestAuthenticatorApp {
  /// Reads the key on the page that sets up an app.
  init?(_ page: Reply) {
    guard let key = page.body.firstMatch(of: /<code>([A-Z2-7 ]*)<\/code>/) else { return nil }
    self.init(key: String(key.1))
  }
}

extension Reply {
  /// Whether the page asks for a code.
  var isCodePage: Bool { self.isPage && self.hidden("state") != nil }

  /// The recovery codes that the page shows.
  var recoveryCodes: [String] {
    self.body.matches(of: /<li><code>([0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4})<\/code><\/li>/).map { String($0.1) }
  }
}
