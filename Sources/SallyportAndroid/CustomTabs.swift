public import Sallyport

/// The Android calls that an app implements for ``CustomTabs``.
///
/// Each method needs only a few calls to the Android API. ``CustomTabs`` decides which app to open.
public protocol CustomTabsLauncher: Sendable {
  /// Returns the installed apps that handle a `VIEW` intent for the URL.
  ///
  /// Query the apps with `queryIntentActivities`, their signers with `GET_SIGNING_CERTIFICATES`, and check whether each
  /// app resolves the Custom Tabs service.
  func installedApps(handling url: BrowserURL) async -> [AndroidApp]
  /// Opens the URL in one app only (`Intent.setPackage`).
  /// - Parameters:
  ///   - package: The package name of the app.
  ///   - asTab: Whether to open a Custom Tab instead of sending a `VIEW` intent.
  /// - Throws: ``UserAgentError``
  func launch(_ url: BrowserURL, package: String, asTab: Bool) async throws(UserAgentError)
  /// Opens the URL in the user's default browser, with a `VIEW` intent that names no package.
  /// - Throws: ``UserAgentError``
  func launchDefaultBrowser(_ url: BrowserURL) async throws(UserAgentError)
}

/// Opens the authorization request on Android (RFC 8252 Appendix B.2, rules P-02 and P-07).
///
/// The request opens in the first trusted app that is installed: the provider's own app or a browser, identified by
/// package name and signing certificate. If that app offers Custom Tabs, the request opens in a Custom Tab. If none of
/// the trusted apps is installed, the request opens in the user's default browser, unless `allowsDefaultBrowser` is
/// `false`.
///
/// The redirect is an App Link or has a private-use scheme. Android delivers it to the app as an intent. Pass the
/// intent's URL to `AppRedirectReceiver.deliver(_:)` or `OAuthClient.resume(from:)`.
public struct CustomTabs: UserAgent {
  private let launcher: any CustomTabsLauncher
  private let trusted: TrustedAndroidApps
  private let allowsDefaultBrowser: Bool

  /// Creates a user agent.
  /// - Parameters:
  ///   - launcher: The app's implementation of the Android calls.
  ///   - trusted: The apps that may receive the request, in order of preference.
  ///   - allowsDefaultBrowser: Whether to use the default browser if no trusted app is installed.
  public init(_ launcher: some CustomTabsLauncher, trusted: TrustedAndroidApps, allowsDefaultBrowser: Bool = true) {
    self.launcher = launcher
    self.trusted = trusted
    self.allowsDefaultBrowser = allowsDefaultBrowser
  }

  public func open(_ url: BrowserURL) async throws(UserAgentError) {
    let installed = await self.launcher.installedApps(handling: url)
    if let app = self.trusted.choose(among: installed) {
      return try await self.launcher.launch(url, package: app.packageName, asTab: app.offersCustomTabs)
    }
    guard self.allowsDefaultBrowser else { throw .noBrowser(tried: self.trusted.entries.map(\.packageName)) }
    try await self.launcher.launchDefaultBrowser(url)
  }
}
