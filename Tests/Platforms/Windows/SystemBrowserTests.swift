import Sallyport
import Testing
import WinSDK

@testable import SallyportDesktop

/// Runs on Linux, with the simulated shell32.dll in `Tests/Platforms/Stubs`.
@Suite(.serialized)
struct SystemBrowserTests {
  private static let url = "https://id.example/authorize?client_id=notes&state=a%20b"

  private func open() async throws {
    try await SystemBrowser().open(try BrowserURL(Self.url))
  }

  @Test("P-03: the default browser is opened with the whole URL as one argument, and not through a command line")
  func opens() async throws {
    let calls = try await Shell.calls(returning: 33) { try await self.open() }
    #expect(calls.map(\.operation) == ["open"] && calls.map(\.file) == [Self.url] && calls.allSatisfy { $0.arguments == nil })
  }

  @Test("P-03: if Windows cannot open the browser, the error contains its code")
  func fails() async {
    // shellapi.h: #define SE_ERR_NOASSOC 31
    let calls = await Shell.calls(returning: 31) {
      await #expect(throws: UserAgentError.failed(program: "ShellExecute", reason: "code 31")) { try await self.open() }
    }
    #expect(calls.count == 1)
  }
}
