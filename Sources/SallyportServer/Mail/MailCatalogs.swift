import SallyportLanguages
import SallyportResources

/// Loads the texts of mail from their catalogs. Each language has one catalog, a file in `Resources/Languages`.
enum MailCatalogs {
  /// The languages that have a catalog.
  static let languages = Language.allCases.filter { EmbeddedFiles.server[Self.path($0)] != nil }

  /// Returns the catalog of a language, or an empty catalog if the language has none.
  /// - Throws: ``CatalogError`` if a message is malformed. A test parses all catalogs, so this does not happen in a
  ///   running server.
  static func catalog(_ language: Language) throws(CatalogError) -> Catalog {
    guard let file = EmbeddedFiles.server[self.path(language)] else { return Catalog() }
    return try Catalog(json: file)
  }

  static func texts(_ language: Language) -> MailTexts {
    let english = (try? self.catalog(.english)) ?? Catalog()
    return MailTexts(language, (try? self.catalog(language)) ?? Catalog(), english: english)
  }

  private static func path(_ language: Language) -> String { "Languages/\(language.tag).json" }
}
