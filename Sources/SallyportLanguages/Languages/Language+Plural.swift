/// A plural category (Unicode CLDR). Which numbers belong to a category depends on the language.
package enum PluralCategory: String, CaseIterable, Sendable {
  case zero, one, two, few, many, other
}

extension Language {
  /// The categories of this language.
  package var pluralCategories: Set<PluralCategory> {
    switch self {
    case .english, .german: [.one, .other]
    case .french, .spanish, .portuguese: [.one, .many, .other]
    case .japanese, .simplifiedChinese: [.other]
    case .arabic: [.zero, .one, .two, .few, .many, .other]
    }
  }

  /// Returns the category of a whole number that is not negative (CLDR, Language Plural Rules, cardinal).
  package func pluralCategory(of number: Int) -> PluralCategory {
    switch self {
    case .english, .german: number == 1 ? .one : .other
    case .spanish: number == 1 ? .one : Self.isMillions(number) ? .many : .other
    case .french, .portuguese: number < 2 ? .one : Self.isMillions(number) ? .many : .other
    case .japanese, .simplifiedChinese: .other
    case .arabic:
      switch (number, number % 100) {
      case (0, _): .zero
      case (1, _): .one
      case (2, _): .two
      case (_, 3...10): .few
      case (_, 11...99): .many
      default: .other
      }
    }
  }

  private static func isMillions(_ number: Int) -> Bool { number != 0 && number % 1_000_000 == 0 }
}
