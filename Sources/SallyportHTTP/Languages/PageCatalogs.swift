import SallyportLanguages
import SallyportResources

/// The catalogs of the pages. A catalog contains the texts in one language.
enum PageCatalogs {
  /// The languages that have a catalog.
  static let languages = Language.allCases.filter { EmbeddedFiles.http[Self.path($0)] != nil }

  /// Returns the catalog of a language, or an empty catalog if the language has none.
  /// - Throws: ``CatalogError`` if the catalog is malformed. The catalogs are part of the program, and a test parses
  ///   them.
  static func catalog(_ language: Language) throws(CatalogError) -> Catalog {
    guard let file = EmbeddedFiles.http[self.path(language)] else { return Catalog() }
    return try Catalog(json: file)
  }

  static func texts(_ language: Language) throws(CatalogError) -> PageTexts {
    let english = try self.catalog(.english)
    return PageTexts(language, language == .english ? english : try self.catalog(language), english: english)
  }

  private static func path(_ language: Language) -> String { "Languages/\(language.tag).json" }
}
