import SallyportResources

/// Common passwords, words, and names, which attackers try first.
///
/// `Scripts/words` creates the list and names its sources.
enum CommonWords {
  /// The rank of each word, from 1 for the most common one. The words are in lowercase.
  static let ranks: [String: Int] = {
    let words = EmbeddedFiles.server.text("common-words.txt").split(separator: "\n")
    let ranked = words.enumerated().map { (String($0.element), $0.offset + 1) }
    return Dictionary(ranked) { first, _ in first }
  }()

  /// The length of the longest word in UTF-8 bytes.
  static let longest = Self.ranks.keys.lazy.map(\.utf8.count).max() ?? 0
}
