/// A command in a message, or some of its arguments, that a user can copy into a shell.
///
/// The description quotes all words that contain special characters, because words such as scopes and issuers can come
/// from a server, which could otherwise make the user's shell run a command.
struct ShellWords: CustomStringConvertible, Equatable {
  private(set) var words: [String]

  init(_ words: String...) {
    self.words = words
  }

  /// The command `sallyport login`, without arguments.
  static let login = ShellWords("sallyport", "login")

  /// Returns these words, followed by others.
  static func + (first: ShellWords, second: ShellWords) -> ShellWords {
    var all = first
    all.words += second.words
    return all
  }

  /// Returns these words with an option that has no value.
  func adding(_ option: String) -> ShellWords { self + ShellWords(option) }

  /// Returns these words with an option and its value.
  func adding(_ option: String, _ value: String) -> ShellWords {
    // As a separate word, a value that begins with a hyphen would be read as another option.
    self + (value.hasPrefix("-") ? ShellWords("\(option)=\(value)") : ShellWords(option, value))
  }

  /// The words, quoted for a POSIX shell where necessary, and separated by spaces.
  var description: String { self.words.map(Self.quoted).joined(separator: " ") }

  /// Returns a text that a shell reads as this word. In a word that needs quotes, the characters that are not printable
  /// (``Printable``) are removed.
  private static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: Self.plainCharacters.contains(byte)
      }
    }
    if isPlain, !text.isEmpty { return text }
    return "'\(Printable.text(text, limit: .max).replacing("'", with: "'\\''"))'"
  }

  /// The characters besides letters and digits that need no quotes.
  private static let plainCharacters = Array("-._:/@%+=,".utf8)
}
