import CResources
package import SallyportLanguages
import SallyportResources

/// The texts of the last page, which ``LoopbackReceiver`` shows in the browser after a sign-in or sign-out. Each raw
/// value is a key of the catalogs in `Resources/Languages`.
package enum LastPageText: String, TextKey {
  case signedIn = "signed-in.heading"
  case signedInNext = "signed-in.next"
  case returnToApp = "return-to-app"
  case returnToUnnamedApp = "return"
  case denied = "denied.heading"
  case deniedMessage = "denied.message"
  case failed = "failed.heading"
  case failedMessage = "failed.message"
  case failedNext = "failed.next"
  case signedOut = "signed-out.heading"
  case signedOutNext = "signed-out.next"
  case received = "received.heading"
  case receivedNext = "received.next"
}

package typealias LastPageTexts = Texts<LastPageText>

extension LastPageTexts {
  private static var files: EmbeddedFiles { EmbeddedFiles(sallyport_desktop_file) }

  /// Loads the texts in a language.
  package init(_ language: Language) {
    // `try?` hides no error: the catalogs are embedded in the program, and a test parses each of them.
    let english = (try? Self.catalog(.english)) ?? Catalog()
    self.init(language, (try? Self.catalog(language)) ?? Catalog(), english: english)
  }

  /// The languages that have a catalog.
  package static var languages: [Language] { Language.allCases.filter { self.files[self.path($0)] != nil } }

  /// Returns the catalog of a language, or an empty catalog if the language has none.
  /// - Throws: ``CatalogError`` if the catalog is malformed.
  package static func catalog(_ language: Language) throws(CatalogError) -> Catalog {
    guard let file = self.files[self.path(language)] else { return Catalog() }
    return try Catalog(json: file)
  }

  private static func path(_ language: Language) -> String { "Languages/\(language.tag).json" }
}
