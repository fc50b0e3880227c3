/// An element of a page. It is valid until the page changes.
package struct Element: Decodable, Sendable {
  let reference: String

  /// The key of an element reference (W3C WebDriver §11).
  private enum CodingKeys: String, CodingKey {
    case reference = "element-6066-11e4-a52e-4f735466cecf"
  }
}
