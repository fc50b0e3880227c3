/// Common passwords, words, and names, which attackers try first.
///
/// `Scripts/words` makes the list and says where it comes from.
package enum CommonWords {
  /// The words in lower case, each with its place in the list, from 1 for the most common one.
  package static let ranks: [String: Int] = {
    let words = PackageResources.common_words_txt.split(separator: UInt8(ascii: "\n"))
    let ranked = words.enumerated().map { (String(decoding: $0.element, as: UTF8.self), $0.offset + 1) }
    return Dictionary(ranked) { first, _ in first }
  }()

  /// The number of characters of the longest word.
  package static let longest = Self.ranks.keys.lazy.map(\.utf8.count).max() ?? 0
}
