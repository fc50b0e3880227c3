/// A stranger's text, made fit for an error.
enum VisibleText {
  /// At most 200 visible ASCII characters of it.
  static func bounded(_ text: String) -> String {
    String(decoding: text.utf8.prefix(200).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
