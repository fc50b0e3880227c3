#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An estimate of how many guesses it takes to find a password, based on the estimator zxcvbn.
///
/// Attackers try common words, names, sequences, and repetitions before they try single characters. The estimate is the
/// cost of the cheapest way to compose the password from such parts and single characters.
struct GuessEstimate {
  /// The password in lowercase. Capitals hardly make a password harder to guess, because attackers try them early.
  private let text: [Unicode.Scalar]
  /// The text with digits and symbols replaced by the letters that they commonly stand for.
  private let letters: [Unicode.Scalar]
  private let names: Set<String>

  /// The minimum length of a part that is not a single character.
  private static let shortestPart = 3
  /// The alphabet, the digits, and the rows and columns of keyboards.
  private static let rows: [[Unicode.Scalar]] = {
    let rows = [
      "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
      "qsdfghjklm", "wxcvbn", "1qaz2wsx3edc4rfv5tgb6yhn7ujm", "!@#$%^&*()",
    ].map { Array($0.unicodeScalars) }
    return rows + rows.map { $0.reversed() }
  }()
  private static let substitutions: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i", "+": "t",
  ]

  /// - Parameter names: Names that an attacker tries first. Each word of a name is tried too.
  init(_ password: String, names: [String]) {
    self.text = Array(password.lowercased().unicodeScalars)
    self.letters = self.text.map { Self.substitutions[$0] ?? $0 }
    let names = names.map { $0.lowercased() }
    let parts = names.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) }
    self.names = Set((names + parts).filter { $0.unicodeScalars.count >= Self.shortestPart })
  }

  /// The binary logarithm of the number of guesses.
  var bits: Double {
    let count = self.text.count
    // cost[i] is the cost in bits of the text from position i on.
    var cost = [Double](repeating: 0, count: count + 1)
    // repeated[i] is the length of the longest common prefix of the text from position i on and the text from position
    // `start` on.
    var repeated = [Int](repeating: 0, count: count + 1)
    for start in (0..<count).reversed() {
      // `start` runs backward and `earlier` forward, so repeated[earlier + 1] still has its value for `start + 1`.
      for earlier in 0..<start {
        repeated[earlier] = self.text[earlier] == self.text[start] ? repeated[earlier + 1] + 1 : 0
      }
      cost[start] = self.bitsOfCharacter(at: start) + cost[start + 1]
      // In bits, a repetition costs 3 and a sequence 5, plus the logarithm of its length.
      func consider(_ length: Int, _ bits: Double) { cost[start] = min(cost[start], bits + cost[start + length]) }
      for length in self.lengths(upTo: repeated[..<start].max() ?? 0) { consider(length, 3 + log2(Double(length))) }
      for length in self.lengths(upTo: self.lengthOfSequence(at: start)) { consider(length, 5 + log2(Double(length))) }
      for length in self.lengths(upTo: min(self.longestWord, count - start)) {
        if let bits = self.bitsOfWord(start..<start + length) { consider(length, bits) }
      }
    }
    return cost[0]
  }

  /// Returns the lengths of possible parts, from `shortestPart` to `longest`.
  private func lengths(upTo longest: Int) -> Range<Int> {
    Self.shortestPart..<max(Self.shortestPart, longest + 1)
  }

  /// The cost that zxcvbn assigns to a single character. A separator costs less, because attackers try it between
  /// words.
  private func bitsOfCharacter(at index: Int) -> Double {
    " -_.,".unicodeScalars.contains(self.text[index]) ? 1 : log2(10)
  }

  /// Returns how many characters from `start` on follow each other in one of the rows.
  private func lengthOfSequence(at start: Int) -> Int {
    Self.rows.map { row in
      guard let first = row.firstIndex(of: self.text[start]) else { return 0 }
      return zip(row[first...], self.text[start...]).prefix { $0 == $1 }.count
    }.max() ?? 0
  }

  private var longestWord: Int {
    max(CommonWords.longest, self.names.lazy.map(\.unicodeScalars.count).max() ?? 0)
  }

  /// Returns the cost of a part as a name or a common word; nil if it is neither.
  private func bitsOfWord(_ range: Range<Int>) -> Double? {
    let spellings = self.text[range] == self.letters[range] ? [self.text] : [self.text, self.letters]
    return spellings.compactMap { spelling in
      var word = String.UnicodeScalarView()
      word.append(contentsOf: spelling[range])
      // An attacker tries a name among the first guesses, so it costs 1 bit.
      if self.names.contains(String(word)) { return 1 }
      return CommonWords.ranks[String(word)].map { log2(Double($0 + 1)) }
    }.min()
  }
}
