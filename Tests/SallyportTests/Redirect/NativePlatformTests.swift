import Sallyport
import Testing

struct NativePlatformTests {
  /// The longest scheme that Windows accepts, with 39 characters.
  private static let longestWindowsScheme = "com." + String(repeating: "a", count: 35)

  @Test(
    "P-01, P-02, P-03, P-04, P-05: a redirect URI has an obstacle on exactly the platforms that cannot deliver it",
    arguments: [
      ("https://app.example.com/cb", NativePlatform.allCases),
      ("com.example.app:/cb", NativePlatform.allCases),
      ("\(longestWindowsScheme):/cb", NativePlatform.allCases),
      ("\(longestWindowsScheme)a:/cb", [.iOS, .macOS, .android, .linux]),
      ("msapp://s-1-15-2-1234", [.windows]),
      ("http://127.0.0.1/cb", [.macOS, .windows, .linux]),
      ("http://[::1]:4321/cb", [.macOS, .windows, .linux]),
    ] as [(String, [NativePlatform])])
  func redirects(text: String, platforms: [NativePlatform]) throws {
    let redirectURI = try RedirectURI(text)
    #expect(NativePlatform.allCases.filter { redirectURI.obstacle(on: $0) == nil } == platforms)
  }

  @Test("P-03: an msapp redirect URI, which only Windows delivers, is rejected on other platforms")
  func refused() async throws {
    let receiver = AppRedirectReceiver(redirectURI: try RedirectURI("msapp://s-1-15-2-1234"))
    await #expect(throws: RedirectReceiverError.self) {
      try await receiver.withRedirect(for: ServerConfiguration(issuer: Issuer("https://id.example.com"))) { _ in }
    }
  }
}
