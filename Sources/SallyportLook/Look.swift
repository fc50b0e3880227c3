/// What the server's pages and the client's last page have in common to the eye.
///
/// A module of its own, since neither end depends on the other.
package enum Look {
  /// The palette, the type and the card: the beginning of each end's style sheet.
  package static let style: [UInt8] = PackageResources.base_css
  /// The mark as an SVG image, for the browser's tab. It brings its own ground, so that it can be seen on a light and a dark one.
  package static let icon: [UInt8] = PackageResources.icon_svg
}
