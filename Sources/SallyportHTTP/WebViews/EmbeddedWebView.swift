/// Recognizes embedded web views by their `User-Agent` (RFC 8252 §8.12).
///
/// Only user agents that are certainly embedded are recognized:
/// - those that name an app with a built-in browser
/// - the default of Android's `WebView`
/// - the default of Apple's `WKWebView`
///
/// All other user agents are treated as browsers. The table of user agents in the tests names the source of each.
enum EmbeddedWebView {
  /// Texts with which apps mark the user agents of their web views.
  private static let apps = [
    "FBAN/", "FBAV/", "FB_IAB/",  // Facebook, Messenger
    "Instagram ", "Line/", "MicroMessenger/", "Snapchat/", "LinkedInApp", "Pinterest/iOS", "Pinterest/Android",
    "musical_ly", "trill_", "BytedanceWebview/", "TikTok ", "TikTok/",  // TikTok
    "Twitter for iPhone", "Twitter for iPad", "TwitterAndroid",
  ]

  /// The product names of browsers in user agents. Some browsers are built on a web view, and their user agents look
  /// like that of a web view: for example, the user agent of Opera Mini contains `; wv)`. The Google app is in the
  /// list, because people use it as a browser.
  private static let browsers = [
    "OPR/", "OPT/", "OPiOS/", "Focus/", "Klar/", "DuckDuckGo/", "Ddg/", "GSA/", "CriOS/", "FxiOS/", "EdgiOS/", "EdgA/",
    "SamsungBrowser/", "Brave/", "Vivaldi/", "YaBrowser/", "UCBrowser/", "MiuiBrowser/", "HuaweiBrowser/", "Silk/",
  ]

  /// Whether a user agent certainly belongs to an embedded web view.
  static func isNamed(by userAgent: String?) -> Bool {
    guard let userAgent else { return false }
    if self.apps.contains(where: { self.hasWord($0, in: userAgent) }) { return true }
    if self.browsers.contains(where: { self.hasWord($0, in: userAgent) }) { return false }
    return self.isAndroidDefault(userAgent) || self.isAppleDefault(userAgent)
  }

  /// Whether the system is Android.
  static func isOnAndroid(_ userAgent: String?) -> Bool { userAgent?.contains("Android") ?? false }

  /// Since Android 5, `WebView` adds `wv` to the end of the first comment, which is the first text in parentheses.
  private static func isAndroidDefault(_ userAgent: String) -> Bool {
    userAgent.contains("Android") && userAgent.contains("; wv)")
  }

  /// Safari and other browsers on Apple's systems name `Safari/`, but `WKWebView` does not. On iPads, which imitate a
  /// Mac by default, the user agent of `WKWebView` ends after the engine.
  private static func isAppleDefault(_ userAgent: String) -> Bool {
    guard userAgent.contains("AppleWebKit/"), !userAgent.contains("Safari/") else { return false }
    let isMobile = ["(iPhone;", "(iPad;", "(iPod"].contains { userAgent.contains($0) } && userAgent.contains("Mobile/")
    return isMobile || (userAgent.contains("(Macintosh;") && userAgent.hasSuffix("(KHTML, like Gecko)"))
  }

  /// Whether `word` occurs in `text` without a letter or digit directly before it.
  private static func hasWord(_ word: String, in text: String) -> Bool {
    text.ranges(of: word).contains { range in
      range.lowerBound == text.startIndex || !text[text.index(before: range.lowerBound)].isASCIILetterOrDigit
    }
  }
}

extension Character {
  fileprivate var isASCIILetterOrDigit: Bool { self.isASCII && (self.isLetter || self.isNumber) }
}
