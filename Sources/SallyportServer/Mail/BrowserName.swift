/// A browser and its system, from the browser's `User-Agent` header field.
///
/// A program can send any text, so the names help users recognize their own browsers, but prove nothing.
package struct BrowserName: Sendable, Equatable {
  /// Such as `Firefox`; nil if the browser is unknown.
  package let product: String?
  /// Such as `Linux`; nil if the system is unknown.
  package let system: String?

  /// The products in the order in which they are searched. Most browsers also name the browsers that they imitate.
  private static let products = [
    ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"), ("YaBrowser/", "Yandex Browser"),
    ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ("curl/", "curl"),
  ]

  /// The systems in the order in which they are searched. Android also names Linux, and iOS also names macOS.
  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("Macintosh", "macOS"), ("FreeBSD", "FreeBSD"), ("OpenBSD", "OpenBSD"), ("Linux", "Linux"),
  ]

  package init(userAgent: String?) {
    let find = { (names: [(String, String)]) in userAgent.flatMap { text in names.first { text.contains($0.0) }?.1 } }
    self.product = find(Self.products)
    self.system = find(Self.systems)
  }
}
