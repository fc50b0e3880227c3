/// The page that a user sees in an embedded web view. It says how to continue in the browser.
package struct WebViewPage: Sendable {
  /// The registered name of the app for which the user signs in; nil if there is no app.
  package var appName: String?
  /// The address at which the browser continues. It can contain the encrypted interaction or the token of a one-time
  /// link, but it contains no session, so the user must sign in again there.
  package var address: String
  /// Whether the system is Android, where a link can open the browser.
  package var isAndroid: Bool

  package init(appName: String? = nil, address: String, isAndroid: Bool = false) {
    self.appName = appName
    self.address = address
    self.isAndroid = isAndroid
  }

  /// A link that contains an Android intent to view the address. If the app of the web view passes such links on,
  /// Android opens the address in the browser that the user has chosen, because the intent names no app. Nil for an
  /// `http` address, and if the system is not Android.
  var intent: String? {
    let scheme = "https://"
    guard self.isAndroid, self.address.hasPrefix(scheme) else { return nil }
    let options = "scheme=https;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE"
    return "intent://\(self.address.dropFirst(scheme.count))#Intent;\(options);end"
  }
}
