public import Sallyport

extension [RedirectOption] {
  /// The redirect options of an Android app: one option, for the receiver's redirect URI. ``CustomTabs`` opens the
  /// authorization request (RFC 8252 Appendix B.2).
  /// - Parameters:
  ///   - launcher: The app's implementation of the Android calls.
  ///   - trusted: The apps to open, in order of preference. If none of them is installed, the user's default browser
  ///     receives the request.
  ///   - receiver: Receives the redirect. Pass it the URL of each intent; see `AppRedirectReceiver.deliver(_:)`.
  public static func automatic(
    _ launcher: some CustomTabsLauncher, trusted: TrustedAndroidApps, receiver: AppRedirectReceiver
  ) -> [RedirectOption] {
    [.redirect(to: receiver.redirectURI, via: CustomTabs(launcher, trusted: trusted), receiver: receiver)]
  }
}
