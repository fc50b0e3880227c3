/// A language of the texts that users read. The raw value is its tag (BCP 47).
package enum Language: String, CaseIterable, Codable, Sendable {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"
  case portuguese = "pt"
  case japanese = "ja"
  case simplifiedChinese = "zh-Hans"
  case arabic = "ar"

  /// The direction of the text, as in the `dir` attribute of HTML.
  package enum Direction: String, Sendable {
    case leftToRight = "ltr"
    case rightToLeft = "rtl"
  }

  package var tag: String { self.rawValue }

  package var direction: Direction { self == .arabic ? .rightToLeft : .leftToRight }

  /// The name of the language in the language itself.
  package var name: String {
    switch self {
    case .english: "English"
    case .german: "Deutsch"
    case .french: "Français"
    case .spanish: "Español"
    case .portuguese: "Português"
    case .japanese: "日本語"
    case .simplifiedChinese: "简体中文"
    case .arabic: "العربية"
    }
  }
}
