/// What an Android app implements for ``CustomTabs``, with its package manager and its activity.
///
/// Each function is one or two calls of Android's API; the choice between the apps is not the launcher's.
public protocol CustomTabsLauncher: Sendable {
  /// The installed apps that handle a `VIEW` intent for this URL (`queryIntentActivities`), with their signers
  /// (`GET_SIGNING_CERTIFICATES`) and whether they resolve the Custom Tabs service.
  func installedApps(handling url: BrowserURL) async -> [AndroidApp]
  /// Opens the URL in this package and no other (`Intent.setPackage`): as a Custom Tab where `asTab`, else with a `VIEW` intent.
  /// - Throws: ``UserAgentError``
  func launch(_ url: BrowserURL, package: String, asTab: Bool) async throws(UserAgentError)
  /// Opens the URL in whatever browser the person chose as the default, with a `VIEW` intent without a package.
  /// - Throws: ``UserAgentError``
  func launchDefaultBrowser(_ url: BrowserURL) async throws(UserAgentError)
}

/// Opens the authorization request on Android: in the provider's own app or a browser's Custom Tab, which is chosen by package name
/// and signing certificate, else in the person's default browser (RFC 8252 Appendix B.2, rules P-02 and P-07).
///
/// The redirect, an App Link or a private-use scheme, comes to the app as an intent; hand its URL to the client.
public struct CustomTabs: UserAgent {
  private let launcher: any CustomTabsLauncher
  private let trusted: TrustedAndroidApps
  private let allowsDefaultBrowser: Bool

  /// - Parameters:
  ///   - launcher: the app's way to Android.
  ///   - trusted: the apps that may get the request, in the order in which they are preferred.
  ///   - allowsDefaultBrowser: whether the person's default browser is taken where none of them is installed.
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
