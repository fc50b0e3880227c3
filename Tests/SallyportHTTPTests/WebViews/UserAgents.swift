import Testing

/// User agents of embedded web views, browsers, and other programs, and the source of each.
///
/// Companies document the form of only a few of these user agents. Most others are from public test data, which people
/// copied from requests. Version numbers can differ from those in the source.
enum UserAgents {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let userAgent: String
    let source: String

    init(_ name: String, _ userAgent: String, source: String) {
      self.name = name
      self.userAgent = userAgent
      self.source = source
    }

    var testDescription: String { self.name }
  }

  /// The engine in the user agents of all browsers and web views that are built on Chromium.
  private static let engine = "AppleWebKit/537.36 (KHTML, like Gecko)"
  private static let iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
  private static let parser = "ua-parser/uap-core, tests/test_ua.yaml"
  private static let parserJS = "faisalman/ua-parser-js, test data"
  private static let inApp = "public test data of packages that detect in-app browsers"
  private static let chrome = "developer.chrome.com, User-Agent strings of Chrome"
  private static let mozilla = "MDN, Firefox user agent string reference"

  /// User agents that only embedded web views have.
  static let embedded = [
    Sample(
      "Android WebView", "Mozilla/5.0 (Linux; Android 10; K; wv) \(engine) Version/4.0 Chrome/125.0.0.0 Mobile Safari/537.36",
      source: "Android Developers Blog, User-Agent Reduction on Android WebView, December 6, 2024"),
    Sample(
      "Android WebView before the reduction",
      "Mozilla/5.0 (Linux; Android 7.1.2; Nexus 5X Build/N2G47W; wv) \(engine) Version/4.0 Chrome/58.0.3029.83 Mobile Safari/537.36",
      source: parser),
    Sample(
      "an app with Android WebView",
      "Mozilla/5.0 (Linux; Android 8.1.0; Android SDK built for x86 Build/OSM1.180201.021; wv) \(engine) Version/4.0 Chrome/61.0.3163.98 Mobile Safari/537.36 DemoApp/1.1.0",
      source: "react-native-webview, docs/Reference.md, applicationNameForUserAgent"),
    Sample(
      "an app with WKWebView",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 DemoApp/1.1.0",
      source: "react-native-webview, docs/Reference.md, applicationNameForUserAgent"),
    Sample("WKWebView", "\(iPhone) Mobile/15E148", source: "WebKit, the default user agent of WKWebView"),
    Sample(
      "WKWebView on an iPad", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_6) AppleWebKit/605.1.15 (KHTML, like Gecko)",
      source: "WebKit, the default user agent of WKWebView with desktop content mode"),
    Sample(
      "Facebook on Android",
      "Mozilla/5.0 (Linux; Android 8.0.0; LG-H930 Build/OPR1.170623.026; wv) \(engine) Version/4.0 Chrome/69.0.3497.100 Mobile Safari/537.36 [FB_IAB/Orca-Android;FBAV/189.0.0.27.99;]",
      source: "public test data"),
    Sample(
      "Facebook on iOS", "\(iPhone) Mobile/15E148 [FBAN/FBIOS;FBAV/467.0.0.37.108;FBBV/598640424;FBDV/iPhone15,2;FBSN/iOS]",
      source: "public test data"),
    Sample(
      "Instagram",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 10_2_1 like Mac OS X) AppleWebKit/602.4.6 (KHTML, like Gecko) Mobile/14D27 Instagram 10.21.0 (iPhone7,2; iOS 10_2_1; zh-Hant_JP)",
      source: inApp),
    Sample(
      "Line",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 10_2_1 like Mac OS X) AppleWebKit/602.4.6 (KHTML, like Gecko) Mobile/14D27 Safari Line/7.3.2",
      source: inApp),
    Sample(
      "WeChat",
      "Mozilla/5.0 (Linux; Android 13; 22081212C Build/TKQ1.220829.002; wv) \(engine) Version/4.0 Chrome/107.0.5304.141 Mobile Safari/537.36 XWEB/5023 MMWEBSDK/20230303 MMWEBID/6973 MicroMessenger/8.0.34.2340(0x2800225B) WeChat/arm64 Weixin",
      source: "public test data"),
    Sample("X on iOS", "\(iPhone) Mobile/15E148 Twitter for iPhone/10.20", source: "public test data"),
    Sample(
      "X on Android",
      "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP2A.240705.005; wv) \(engine) Version/4.0 Chrome/126.0.6478.71 Mobile Safari/537.36 TwitterAndroid",
      source: "public test data"),
    Sample(
      "TikTok on iOS", "\(iPhone) Mobile/15E148 musical_ly_34.0.0 JsSdk/2.0 NetType/WIFI Channel/App Store",
      source: "public test data"),
    Sample(
      "TikTok on Android",
      "Mozilla/5.0 (Linux; Android 12; SM-A525F Build/SP1A.210812.016; wv) \(engine) Version/4.0 Chrome/107.0.5304.141 Mobile Safari/537.36 trill_340002 BytedanceWebview/d8a21c6",
      source: "public test data; the app adds the last product to the user agent of its web view"),
    Sample(
      "Snapchat",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 13_3_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0.5 Mobile/15E148 Snapchat/10.77.5.59 (like Safari/604.1)",
      source: "public test data"),
    Sample("LinkedIn", "\(iPhone) Mobile/15E148 [LinkedInApp]/9.30.2144", source: "public test data"),
    Sample(
      "Pinterest",
      "Mozilla/5.0 (iPad; CPU OS 8_4_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Mobile/12H321 [Pinterest/iOS]",
      source: "public lists of user agents"),
  ]

  /// User agents that must not be taken for those of embedded web views.
  static let browsers = [
    Sample(
      "Chrome on Android, and Custom Tabs", "Mozilla/5.0 (Linux; Android 10; K) \(engine) Chrome/125.0.0.0 Mobile Safari/537.36",
      source: "chromium.org, User-Agent Reduction"),
    Sample(
      "Safari, SFSafariViewController, and ASWebAuthenticationSession", "\(iPhone) Version/17.5 Mobile/15E148 Safari/604.1",
      source: "WebKit, the user agent of Safari"),
    Sample(
      "Safari on a Mac or iPad",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15",
      source: "WebKit, the user agent of Safari"),
    Sample("Chrome on iOS", "\(iPhone) CriOS/129.0.6668.69 Mobile/15E148 Safari/604.1", source: chrome),
    Sample("Firefox on iOS", "\(iPhone) FxiOS/128.0 Mobile/15E148 Safari/605.1.15", source: mozilla),
    Sample("Edge on iOS", "\(iPhone) Version/17.0 EdgiOS/126.0.2592.86 Mobile/15E148 Safari/604.1", source: "public test data"),
    Sample("Brave on iOS", "\(iPhone) Version/17.5 Mobile/15E148 Safari/604.1", source: "Brave uses the user agent of Safari"),
    Sample("DuckDuckGo on iOS", "\(iPhone) Version/17.5 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15", source: "public test data"),
    Sample("Google app on iOS", "\(iPhone) GSA/302.0.586296673 Mobile/15E148 Safari/604.1", source: "public test data"),
    Sample(
      "Google app on Android",
      "Mozilla/5.0 (Linux; Android 13; SM-A536B; wv) \(engine) Version/4.0 Chrome/122.0.0.0 Mobile Safari/537.36 GSA/15.12.32.29.arm64",
      source: "public test data, with the mark of a web view added"),
    Sample("Firefox on Android", "Mozilla/5.0 (Android 13; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", source: mozilla),
    Sample(
      "Firefox Focus, built on a web view",
      "Mozilla/5.0 (Linux; Android 7.0) \(engine) Version/4.0 Focus/6.1.1 Chrome/68.0.3440.91 Mobile Safari/537.36",
      source: "\(mozilla); \(parserJS)"),
    Sample(
      "Opera Mini, built on a web view",
      "Mozilla/5.0 (Linux; U; Android 10; SM-G960F Build/QP1A.190711.020; wv) \(engine) Version/4.0 Chrome/95.0.4638.50 Mobile Safari/537.36 OPR/60.0.2254.59405",
      source: "public test data"),
    Sample(
      "DuckDuckGo on Android, built on a web view",
      "Mozilla/5.0 (Linux; Android 8.1.0) \(engine) Version/4.0 Chrome/92.0.4515.131 Mobile DuckDuckGo/5 Safari/537.36",
      source: parserJS),
    Sample(
      "Samsung Internet",
      "Mozilla/5.0 (Linux; Android 14; SM-S911B) \(engine) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36",
      source: "developer.samsung.com, Samsung Internet user agent string format"),
    Sample(
      "Chrome and Brave on Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(engine) Chrome/129.0.0.0 Safari/537.36",
      source: chrome),
    Sample(
      "Edge", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(engine) Chrome/127.0.0.0 Safari/537.36 Edg/127.0.0.0",
      source: "learn.microsoft.com, Detect Microsoft Edge from your website"),
    Sample("Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", source: mozilla),
    Sample("ChromeOS", "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(engine) Chrome/129.0.0.0 Safari/537.36", source: chrome),
    Sample(
      "headless Chrome", "Mozilla/5.0 (X11; Linux x86_64) \(engine) HeadlessChrome/129.0.0.0 Safari/537.36", source: chrome),
    Sample(
      "an Electron app",
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(engine) Slack/4.36.140 Chrome/120.0.0.0 Electron/28.0.0 Safari/537.36",
      source: "electronjs.org, the default user agent of Electron"),
    Sample(
      "the Android browser before WebView had a mark of its own",
      "Mozilla/5.0 (Linux; U; Android 4.0.3; en-us; KFTT Build/IML74K) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Safari/534.30",
      source: parser),
    Sample(
      "LinkedIn's crawler", "LinkedInBot/1.0 (compatible; Mozilla/5.0; Jakarta Commons-HttpClient/3.1 +http://www.linkedin.com)",
      source: parser),
    Sample("X's crawler", "Twitterbot/1.0", source: parser),
    Sample("Lynx", "Lynx/2.9.0 libwww-FM/2.14 SSL-MM/1.4.1", source: "lynx.invisible-island.net"),
    Sample(
      "a word that ends like an app's product", "Mozilla/5.0 (X11; Linux x86_64) Online/1.0 MyInstagram 1", source: "made up"),
    Sample("nothing", "", source: "made up"),
  ]
}
