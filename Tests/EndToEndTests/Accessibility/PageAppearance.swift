import BrowserDriver

/// A window size, color scheme, and text size in which a user can see a page.
struct PageAppearance: Sendable {
  var name: String
  var width = 1280
  var height = 900
  var colorScheme = BrowserOptions.ColorScheme.light
  /// Whether the user's colors replace the page's colors (CSS `forced-colors`).
  var areColorsForced = false
  /// The size of text, in percent of the browser's default.
  var textSize = 100

  /// The appearances in which the tests check pages.
  ///
  /// WCAG 2.2 requires that text can be enlarged to 200 percent (1.4.4), and that a page that is 320 CSS pixels wide
  /// does not scroll in two dimensions (1.4.10).
  static let all = [
    PageAppearance(name: "light"),
    PageAppearance(name: "dark", colorScheme: .dark),
    PageAppearance(name: "forced-colors", areColorsForced: true),
    PageAppearance(name: "forced-colors-dark", colorScheme: .dark, areColorsForced: true),
    PageAppearance(name: "large-text", textSize: 200),
    PageAppearance(name: "phone", width: 390, height: 844),
    PageAppearance(name: "phone-dark", width: 390, height: 844, colorScheme: .dark),
    PageAppearance(name: "narrow", width: 320, height: 640),
  ]
}
