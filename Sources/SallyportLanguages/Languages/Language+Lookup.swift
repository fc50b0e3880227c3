extension Language {
  /// How many bytes of a list of languages are read. Browsers and apps send much shorter lists.
  private static var maximumListBytes: Int { 512 }

  /// Returns the language for `ui_locales` (OpenID Connect Core §3.1.2.1): language tags separated by spaces, in
  /// order of preference. The result comes from the first tag whose lookup (``LanguageRange/language``) finds one of
  /// `languages`.
  /// - Returns: Nil if no tag matches a language.
  package static func preferred(uiLocales: String, among languages: [Language] = Self.allCases) -> Language? {
    for tag in uiLocales.utf8.prefix(self.maximumListBytes).split(separator: UInt8(ascii: " ")) {
      if let language = LanguageRange(Substring(tag))?.language, languages.contains(language) { return language }
    }
    return nil
  }

  /// Returns the language for an `Accept-Language` header field (RFC 9110 §12.5.4).
  ///
  /// A range with the weight 0 excludes a language. The wildcard stands for the languages that no other range names.
  /// Invalid elements are ignored.
  /// - Parameter preference: The language that the wildcard selects if it is one of `languages` and no other range
  ///   names it. Otherwise, the wildcard selects the first of `languages` that no other range names.
  /// - Returns: Nil if no range matches a language.
  package static func preferred(
    acceptLanguage: String, among languages: [Language] = Self.allCases, preference: Language = .english
  ) -> Language? {
    let elements = acceptLanguage.utf8.prefix(self.maximumListBytes).split(separator: UInt8(ascii: ","))
      .compactMap { WeightedRange(Substring($0)) }
    let excluded = languages.filter { language in
      elements.contains { $0.weight == 0 && $0.range?.includes(language) == true }
    }
    let namedLanguages = elements.compactMap { $0.range?.language }
    // The sort is stable, so that ranges with equal weights keep their order.
    for element in elements.filter({ $0.weight > 0 }).sorted(by: { $0.weight > $1.weight }) {
      if let range = element.range {
        if let language = range.language, languages.contains(language), !excluded.contains(language) { return language }
      } else if let language = ([preference] + languages).first(where: { !namedLanguages.contains($0) && languages.contains($0) })
      {
        return language
      }
    }
    return nil
  }

  /// An element of `Accept-Language`.
  private struct WeightedRange {
    /// Nil for the wildcard.
    let range: LanguageRange?
    /// The weight in thousandths.
    let weight: Int

    init?(_ element: Substring) {
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { part in
        part.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
      }
      guard let name = parts.first, parts.count <= 2 else { return nil }
      if name == "*" {
        self.range = nil
      } else {
        guard let range = LanguageRange(name) else { return nil }
        self.range = range
      }
      guard parts.count == 2 else {
        self.weight = 1_000
        return
      }
      guard let weight = Self.thousandths(parts[1]) else { return nil }
      self.weight = weight
    }

    /// Parses `q=0.8` (RFC 9110 §12.4.2).
    private static func thousandths(_ text: Substring) -> Int? {
      guard text.hasPrefix("q=") || text.hasPrefix("Q=") else { return nil }
      let number = text.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let whole = number.first, whole == "0" || whole == "1" else { return nil }
      let fraction = number.count == 2 ? number[1] : ""
      guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      let digits = String(fraction) + String(repeating: "0", count: 3 - fraction.utf8.count)
      guard let value = Int(digits), whole == "0" || value == 0 else { return nil }
      return whole == "1" ? 1_000 : value
    }
  }
}
