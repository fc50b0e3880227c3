/// Common passwords, words, and names, which attackers try first.
///
/// `Scripts/words` creates the list and names its sources.
package enum CommonWords {
  /// The rank of each word, from 1 for the most common one. The words are in lowercase.
  package static let ranks: [String: Int] = {
    let words = PackageResources.common_words_txt.split(separator: UInt8(ascii: "\n"))
    let ranked = words.enumerated().map { (String(decoding: $0.element, as: UTF8.self), $0.offset + 1) }
    return Dictionary(ranked) { first, _ in first }
  }()

  /// The length of the longest word in UTF-8 bytes.
  package static let longest = Self.ranks.keys.lazy.map(\.utf8.count).max() ?? 0
}
