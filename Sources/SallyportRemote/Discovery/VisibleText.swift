/// Makes untrusted text safe to include in an error.
enum VisibleText {
  /// The first 200 bytes of the text, with everything but visible ASCII characters replaced by `?`.
  static func bounded(_ text: String) -> String {
    String(decoding: text.utf8.prefix(200).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
