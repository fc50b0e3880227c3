/// A browser and its system, from the browser's `User-Agent` header field.
///
/// A program can send any text, so the names help users recognize their own browsers, but prove nothing.
package struct BrowserName: Sendable, Equatable {
  /// Such as `Firefox`; nil if the browser is unknown.
  package let product: String?
  /// Such as `Linux`; nil if the system is unknown.
  package let system: String?

  /// The products in the order in which they are searched. A browser usually also names the browsers that it imitates,
  /// so it comes before them.
  private static let products: [(mark: String, name: String)] = [
    ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"), ("YaBrowser/", "Yandex Browser"),
    ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ("curl/", "curl"),
  ]

  /// The systems in the order in which they are searched. Android also names Linux, and iOS also names macOS, so
  /// Android and iOS come first.
  private static let systems: [(mark: String, name: String)] = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
    ("Mac OS X", "macOS"), ("Macintosh", "macOS"), ("FreeBSD", "FreeBSD"), ("OpenBSD", "OpenBSD"), ("Linux", "Linux"),
  ]

  package init(userAgent: String?) {
    let userAgent = userAgent ?? ""
    self.product = Self.products.first { userAgent.contains($0.mark) }?.name
    self.system = Self.systems.first { userAgent.contains($0.mark) }?.name
  }
}
