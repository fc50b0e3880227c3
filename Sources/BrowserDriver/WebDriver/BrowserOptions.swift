/// How a browser is started.
package struct BrowserOptions: Sendable {
  package enum ColorScheme: String, Sendable {
    case light, dark
  }

  /// The WebDriver server of Chromium.
  package var driver: String
  /// The browser's program; found by the driver when nil.
  package var browser: String?
  /// In CSS pixels.
  package var width: Int
  package var height: Int
  package var colorScheme: ColorScheme
  /// Whether pages may run scripts.
  package var scripting: Bool
  /// Names that the browser may look up; every other look-up fails, so that nothing leaves the machine.
  package var hosts: [String]
  /// Keys of servers that no authority vouches for, each the SHA-256 of its SubjectPublicKeyInfo in Base64: a test's own.
  package var trustedKeys: [String] = []

  package init(
    driver: String = "/usr/bin/chromedriver", browser: String? = nil, width: Int = 1280, height: Int = 900,
    colorScheme: ColorScheme = .light, scripting: Bool = true, hosts: [String] = ["localhost", "127.0.0.1", "[::1]"]
  ) {
    self.driver = driver
    self.browser = browser
    self.width = width
    self.height = height
    self.colorScheme = colorScheme
    self.scripting = scripting
    self.hosts = hosts
  }

  /// The browser's command line.
  /// - Parameter profile: the folder for its profile.
  func arguments(profile: String) -> [String] {
    var arguments = [
      "--headless=new",
      // The sandbox cannot be set up as root or in a container; only pages of our own are opened.
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--disable-background-networking",
      "--no-first-run",
      "--lang=en-US",
      "--user-data-dir=\(profile)",
      "--window-size=\(self.width),\(self.height)",
      "--host-resolver-rules=MAP * ~NOTFOUND" + self.hosts.map { ", EXCLUDE \($0)" }.joined(),
    ]
    if !self.trustedKeys.isEmpty {
      arguments.append("--ignore-certificate-errors-spki-list=\(self.trustedKeys.joined(separator: ","))")
    }
    return arguments
  }
}
