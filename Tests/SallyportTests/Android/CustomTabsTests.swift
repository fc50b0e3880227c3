import Sallyport
import SallyportAndroid
import Synchronization
import Testing

struct CustomTabsTests {
  static let provider = CertificateFingerprint(String(repeating: "A1", count: 32))
  static let browser = CertificateFingerprint(String(repeating: "b2", count: 32))
  static let unknown = CertificateFingerprint(String(repeating: "c3", count: 32))

  /// - Parameter tabs: Whether the app supports Custom Tabs.
  private static func app(
    _ name: String, _ signers: [CertificateFingerprint?], tabs: Bool = true
  ) -> AndroidApp {
    AndroidApp(packageName: name, signers: Set(signers.compactMap(\.self)), offersCustomTabs: tabs)
  }

  private static func entry(_ name: String, _ signers: [CertificateFingerprint?]) -> TrustedAndroidApps.Entry {
    TrustedAndroidApps.Entry(packageName: name, signers: Set(signers.compactMap(\.self)))
  }

  static let trusted = TrustedAndroidApps([
    entry("com.example.provider", [provider]), entry("com.example.browser", [browser, provider]),
    entry("com.example.unsigned", []),
  ])

  /// The installed apps, and the package name of the app that must be chosen, or `nil` if none may be chosen.
  struct Choice: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let installed: [AndroidApp]
    let chosen: String?
  }

  static let choices = [
    Choice(testDescription: "nothing is installed", installed: [], chosen: nil),
    Choice(
      testDescription: "the provider's app", installed: [app("com.example.provider", [provider])], chosen: "com.example.provider"),
    Choice(
      testDescription: "an app of another developer with the provider's package name",
      installed: [app("com.example.provider", [unknown])],
      chosen: nil),
    Choice(
      testDescription: "the provider's package name with an uppercase letter",
      installed: [app("com.example.Provider", [provider])], chosen: nil),
    Choice(
      testDescription: "the provider's signer with another package name", installed: [app("com.example.other", [provider])],
      chosen: nil),
    Choice(
      testDescription: "an additional signer", installed: [app("com.example.provider", [provider, unknown])], chosen: nil),
    Choice(
      testDescription: "only one of the browser's two signers", installed: [app("com.example.browser", [browser])], chosen: nil),
    Choice(
      testDescription: "both of the browser's signers", installed: [app("com.example.browser", [provider, browser])],
      chosen: "com.example.browser"
    ),
    Choice(
      testDescription: "of two trusted apps, the first one in the trusted list",
      installed: [app("com.example.browser", [provider, browser]), app("com.example.provider", [provider])],
      chosen: "com.example.provider"),
    Choice(
      testDescription: "a provider with a wrong signature does not prevent the use of a browser",
      installed: [app("com.example.provider", [unknown]), app("com.example.browser", [provider, browser])],
      chosen: "com.example.browser"),
    Choice(
      testDescription: "an app without signers, even if the trusted list names none for it",
      installed: [app("com.example.unsigned", [])], chosen: nil),
  ]

  @Test(
    "P-07: an installed Android app is chosen if its package name and all its signers match the trusted list", arguments: choices)
  func choice(_ choice: Choice) {
    #expect(Self.trusted.choose(among: choice.installed)?.packageName == choice.chosen)
  }

  @Test(
    "P-07: a fingerprint is 64 hexadecimal digits, with or without a colon after every two digits",
    arguments: [
      (String(repeating: "a1", count: 32), true), (Array(repeating: "A1", count: 32).joined(separator: ":"), true),
      (String(repeating: "a1", count: 31), false), (String(repeating: "a1", count: 33), false), ("", false),
      (String(repeating: "g1", count: 32), false), (Array(repeating: "1", count: 64).joined(separator: ":"), false),
      (String(repeating: "a1", count: 31) + " 1", false), (String(repeating: "１", count: 64), false),
    ])
  func fingerprints(text: String, isValid: Bool) {
    #expect((CertificateFingerprint(text) != nil) == isValid)
  }

  @Test("P-07: different spellings of a fingerprint are equal")
  func fingerprintSpellings() {
    let colons = CertificateFingerprint(Array(repeating: "A1", count: 32).joined(separator: ":"))
    #expect(colons == Self.provider)
    #expect(colons?.description.hasPrefix("A1:A1:") == true)
  }

  @Test("P-02: a trusted app opens the URL in a Custom Tab if it supports that, and otherwise as an ordinary page")
  func presentation() async throws {
    let url = try BrowserURL("https://id.example.com/authorize")
    for tabs in [true, false] {
      let launcher = FakeLauncher([Self.app("com.example.provider", [Self.provider], tabs: tabs)])
      try await CustomTabs(launcher, trusted: Self.trusted).open(url)
      #expect(launcher.launched.withLock(\.self) == ["com.example.provider \(tabs) \(url.value)"])
    }
  }

  @Test("P-02: if no trusted app is installed, the user's default browser is used, unless allowsDefaultBrowser is false")
  func fallBack() async throws {
    let url = try BrowserURL("https://id.example.com/authorize")
    let launcher = FakeLauncher([Self.app("com.example.provider", [Self.unknown])])
    try await CustomTabs(launcher, trusted: Self.trusted).open(url)
    #expect(launcher.launched.withLock(\.self) == ["default \(url.value)"])
    await #expect(throws: UserAgentError.self) {
      try await CustomTabs(launcher, trusted: Self.trusted, allowsDefaultBrowser: false).open(url)
    }
    #expect(launcher.launched.withLock(\.count) == 1)
  }
}

private final class FakeLauncher: CustomTabsLauncher {
  private let installed: [AndroidApp]
  let launched = Mutex<[String]>([])

  init(_ installed: [AndroidApp]) {
    self.installed = installed
  }

  func installedApps(handling url: BrowserURL) async -> [AndroidApp] { self.installed }

  func launch(_ url: BrowserURL, package: String, asTab: Bool) async throws(UserAgentError) {
    self.launched.withLock { $0.append("\(package) \(asTab) \(url.value)") }
  }

  func launchDefaultBrowser(_ url: BrowserURL) async throws(UserAgentError) {
    self.launched.withLock { $0.append("default \(url.value)") }
  }
}
