/// Options for starting a browser.
package struct BrowserOptions: Sendable {
  package enum ColorScheme: String, Sendable {
    case light, dark
  }

  /// The path of Chromium's WebDriver server.
  package var driver: String
  /// The path of the browser, or `nil` to let the driver find it.
  package var browser: String?
  /// The width of the page in CSS pixels.
  package var width: Int
  /// The height of the page in CSS pixels.
  package var height: Int
  /// The color scheme that the user prefers.
  package var colorScheme: ColorScheme
  /// Whether pages may run scripts.
  package var scripting: Bool
  /// The hosts that the browser may connect to. The browser resolves no other names.
  package var hosts: [String]
  /// The public keys of servers with untrusted test certificates, each as the Base64-encoded SHA-256 hash of its
  /// SubjectPublicKeyInfo.
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

  /// The browser's command-line arguments. The color scheme and scripting are set through WebDriver instead, after the
  /// browser has started.
  /// - Parameter profile: The folder for the browser profile.
  func arguments(profile: String) -> [String] {
    var arguments = [
      "--headless=new",
      // The sandbox doesn't work as root or in a container. Only pages of the demo and of test servers are opened.
      "--no-sandbox",
      // In a container, /dev/shm is often too small for the browser.
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
