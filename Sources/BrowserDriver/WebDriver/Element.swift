/// An element on the page that was open when it was found.
package struct Element: Decodable, Sendable {
  let reference: String

  /// W3C WebDriver §11: the key under which a reference travels.
  private enum CodingKeys: String, CodingKey {
    case reference = "element-6066-11e4-a52e-4f735466cecf"
  }
}
