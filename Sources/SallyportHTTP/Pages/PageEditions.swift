import Mustache
import SallyportLanguages
import Synchronization

/// The texts and the compiled templates of each language, which are loaded when a page in the language is first shown.
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

  /// The editions without an operator's templates and texts. All servers in the process share them.
  static let builtIn = PageEditions(BrandOverrides())

  private let editions = Mutex<[Language: Edition]>([:])
  private let loadTexts: @Sendable (Language) throws -> PageTexts
  private let overrides: BrandOverrides

  init(_ overrides: BrandOverrides) {
    self.loadTexts = { try overrides.texts($0) }
    self.overrides = overrides
  }

  /// Creates editions with the built-in templates and with texts from another source.
  /// - Parameter loadTexts: Returns the texts of a language.
  init(_ loadTexts: @escaping @Sendable (Language) throws -> PageTexts) {
    self.loadTexts = loadTexts
    self.overrides = BrandOverrides()
  }

  /// - Returns: Nil if a template or a catalog is invalid. The built-in files are valid, and
  ///   ``BrandOverrides/validate()`` finds mistakes in the operator's files.
  func edition(_ language: Language) -> Edition? {
    self.editions.withLock { editions in
      if let edition = editions[language] { return edition }
      let edition = try? Edition(self.loadTexts(language), self.overrides)
      editions[language] = edition
      return edition
    }
  }
}
