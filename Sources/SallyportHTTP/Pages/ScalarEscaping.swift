import Mustache
import SallyportLook

/// Escapes HTML one Unicode scalar at a time.
///
/// Mustache's own escaping compares `Character`s, so it misses a special character that is followed by a combining
/// mark.
struct ScalarEscaping: MustacheContentType {
  static let name = "SALLYPORT-HTML"
  /// The pragma at the start of every template. Without it, Mustache uses its own escaping.
  static let pragma = "{{% CONTENT_TYPE: \(name)}}\n"

  func escapeText(_ text: String) -> String {
    HTMLText.escape(text)
  }
}
