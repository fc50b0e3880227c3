/// The words of a shell command in a message.
enum ShellWord {
  /// Returns a text that a shell reads as this word. In a word that needs quotes, the characters that are not printable
  /// (``Printable``) are removed.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: Self.plainCharacters.contains(byte)
      }
    }
    guard !isPlain || text.isEmpty else { return text }
    return "'\(Printable.text(text, limit: .max).replacing("'", with: "'\\''"))'"
  }

  /// The characters besides letters and digits that need no quotes.
  private static let plainCharacters = Array("-._:/@%+=,".utf8)
}
