public import Sallyport

extension [RedirectOption] {
  /// The redirect options of an Android app: the provider's own app, a Custom Tab of a trusted browser, or the default
  /// browser; see ``CustomTabs`` (RFC 8252 Appendix B.2).
  /// - Parameters:
  ///   - launcher: The app's implementation of the Android calls.
  ///   - trusted: The apps that may receive the request, in order of preference.
  ///   - receiver: Receives the redirect. Pass it the URL of each intent; see `AppRedirectReceiver.deliver(_:)`.
  public static func automatic(
    _ launcher: some CustomTabsLauncher, trusted: TrustedAndroidApps, receiver: AppRedirectReceiver
  ) -> [RedirectOption] {
    [.redirect(to: receiver.redirectURI, via: CustomTabs(launcher, trusted: trusted), receiver: receiver)]
  }
}
