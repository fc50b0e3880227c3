import CResources
import SallyportResources

/// The visual design that the server's pages share with the page that the client shows after a sign-in or sign-out.
///
/// The design is a separate module, because the server's modules and the client's modules don't depend on each other.
package enum Look {
  /// The colors, fonts, and card style, which each style sheet starts with.
  package static let style = Self.files.text("base.css")
  /// The favicon as an SVG image. It includes a background, so that it is visible on light and dark tabs.
  package static let icon = Self.files.text("icon.svg")

  private static let files = EmbeddedFiles(sallyport_look_file)
}
