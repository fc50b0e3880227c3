import Mustache
import SallyportLook

/// HTML escaping, one Unicode scalar at a time, in place of Mustache's own, which compares `Character`s.
struct ScalarEscaping: MustacheContentType {
  static let name = "SALLYPORT-HTML"
  /// Put before a template's text, since Mustache starts again with its own escaping in each template.
  static let pragma = "{{% CONTENT_TYPE: \(name)}}\n"

  func escapeText(_ text: String) -> String {
    HTMLText.escape(text)
  }
}
