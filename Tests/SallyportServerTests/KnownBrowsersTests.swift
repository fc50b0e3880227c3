import SallyportProtocol
import ServerTestSupport
import TestSupport
import Testing

@testable import SallyportServer

@Suite("Known browsers")
struct KnownBrowsersTests {
  @Test("a browser stays known for the ten accounts that signed in last")
  func tenAccounts() async throws {
    let fixture = try await TestServer()
    let browsers = KnownBrowsers(sealer: fixture.masterKey.sealer(for: "known browsers"))
    var accounts: [AccountRecord] = []
    var cookie: String?
    for number in 0...10 {
      let account = try await fixture.server.accounts.add(username: "user\(number)", password: Secret(TestServer.password))
      accounts.append(account)
      cookie = try #require(browsers.seal(adding: account, to: browsers.open(cookie))).reveal()
    }
    let browser = try #require(browsers.open(cookie))
    #expect(accounts.map(browser.hasSignedIn) == [false] + Array(repeating: true, count: 10))
  }
}
