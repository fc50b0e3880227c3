/// A basic language range (RFC 4647 §2.1), such as `de-AT`, in lowercase.
struct LanguageRange: Equatable {
  let subtags: [Substring]

  /// - Returns: Nil if the text is not a basic language range. The wildcard `*` is not a range here.
  init?(_ text: some StringProtocol) {
    // The first subtag has 1 to 8 letters. The other subtags have 1 to 8 letters or digits.
    let subtags = text.lowercased().split(separator: "-", omittingEmptySubsequences: false)
    guard let first = subtags.first, (1...8).contains(first.utf8.count), first.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
    else { return nil }
    let isValid = subtags.dropFirst().allSatisfy { subtag in
      (1...8).contains(subtag.utf8.count) && subtag.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
    guard isValid else { return nil }
    self.subtags = subtags
  }

  /// The language that a lookup finds (RFC 4647 §3.4): subtags are removed from the end until a language matches.
  ///
  /// Chinese differs, because many readers of one of its scripts cannot read the other: a range with a script matches
  /// `zh-Hans` only if the script is `Hans`, and a range without a script does not match in a region that uses
  /// traditional characters.
  var language: Language? {
    guard self.subtags[0] == "zh" else { return Language.allCases.first { $0.tag == self.subtags[0] } }
    if let script = self.subtags.dropFirst().first(where: { $0.utf8.count == 4 }) {
      return script == "hans" ? .simplifiedChinese : nil
    }
    return self.subtags.contains { ["tw", "hk", "mo"].contains($0) } ? nil : .simplifiedChinese
  }

  /// Whether the range is a language's own tag, or the first subtags of the tag. Unlike ``language``, this function
  /// compares all subtags of the range, so `de-AT` does not include `de`.
  func includes(_ language: Language) -> Bool {
    let tag = language.tag.lowercased().split(separator: "-")
    return tag.starts(with: self.subtags)
  }
}
