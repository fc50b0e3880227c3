import SallyportProtocol
import SallyportServer
import ServerTestSupport
import Testing

@Suite("Accounts")
struct AccountsTests {
  @Test("a name that is taken, empty or not text, and a short password, are refused")
  func adding() async throws {
    let fixture = try await TestServer()
    let accounts = fixture.server.accounts
    let password = Secret(TestServer.password)
    for taken in ["ada", "ADA", " ada ", "A\u{64}a"] {
      await #expect(throws: AccountError.usernameTaken) { try await accounts.add(username: taken, password: password) }
    }
    for invalid in ["", "  ", "a\u{0}b", "a\nb", String(repeating: "x", count: 129)] {
      await #expect(throws: AccountError.invalidUsername) { try await accounts.add(username: invalid, password: password) }
    }
    await #expect(throws: AccountError.passwordTooShort) { try await accounts.add(username: "eve", password: Secret("1234567")) }
    await #expect(throws: AccountError.notFound) { try await accounts.disable("nobody") }
    await #expect(throws: AccountError.notFound) { try await accounts.setPassword(password, of: "nobody") }
    #expect(try await accounts.list().map(\.username.value) == ["ada", "bob"])
  }

  @Test("a letter is the same letter composed or not")
  func normalisation() {
    #expect(Username("Ren\u{E9}") == Username("rene\u{301}"))
    #expect(Username("Ren\u{E9}")?.value.utf8.elementsEqual("ren\u{E9}".utf8) == true)
  }
}
