import Mustache
import SallyportLanguages
import Synchronization

/// The texts and the compiled templates of each language, made when a page in the language is first shown.
final class PageEditions: Sendable {
  /// The pages in one language.
  struct Edition: Sendable {
    let texts: PageTexts
    let library: MustacheLibrary

    init(_ texts: PageTexts, _ overrides: BrandOverrides) throws {
      self.texts = texts
      self.library = try PageTemplate.library(texts, overrides)
    }
  }

  private let editions = Mutex<[Language: Edition]>([:])
  private let make: @Sendable (Language) throws -> PageTexts
  private let overrides: BrandOverrides

  init(_ overrides: BrandOverrides = BrandOverrides()) {
    self.make = { try overrides.texts($0) }
    self.overrides = overrides
  }

  /// - Parameter make: Loads the texts of a language.
  init(_ make: @escaping @Sendable (Language) throws -> PageTexts) {
    self.make = make
    self.overrides = BrandOverrides()
  }

  /// - Returns: Nil if a template or a catalog is invalid. Those that are part of the program are valid.
  func edition(_ language: Language) -> Edition? {
    self.editions.withLock { editions in
      if let edition = editions[language] { return edition }
      let edition = try? Edition(self.make(language), self.overrides)
      editions[language] = edition
      return edition
    }
  }
}
