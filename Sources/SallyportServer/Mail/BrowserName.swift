/// Describes a browser and its system in words, from its `User-Agent` header field.
///
/// Any client can send any text, so the words help users to recognize their own browsers, and prove nothing.
package enum BrowserName {
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

  /// Returns text such as `Firefox on Linux`.
  package static func words(for userAgent: String?) -> String {
    guard let userAgent else { return "An unknown browser" }
    let product = self.products.first { userAgent.contains($0.0) }?.1
    let system = self.systems.first { userAgent.contains($0.0) }?.1
    return switch (product, system) {
    case (let product?, let system?): "\(product) on \(system)"
    case (let product?, nil): product
    case (nil, let system?): "An unknown browser on \(system)"
    case (nil, nil): "An unknown browser"
    }
  }
}
