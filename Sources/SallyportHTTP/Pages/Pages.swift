import Mustache
package import SallyportLanguages
import SallyportLook

/// Renders the pages that users see, in one language.
package struct Pages: Sendable {
  /// The values that every page shows.
  struct Site {
    let name: String
    let styleSheet: String
    let icon: String
  }

  let site: Site
  /// The language of the pages.
  package let language: Language
  private let editions: PageEditions
  /// The texts, and the compiled templates. They are made when the first page is shown, because compiling the templates takes
  /// a tenth of the server's startup time.
  private var edition: PageEditions.Edition? { self.editions.edition(self.language) }

  /// - Parameter basePath: The path of the issuer without a trailing slash; empty if it has none.
  package init(serverName: String, basePath: String = "", language: Language = .english) {
    self.init(serverName: serverName, basePath: basePath, language: language, editions: PageEditions())
  }

  init(serverName: String, basePath: String = "", language: Language, editions: PageEditions) {
    self.site = Site(
      name: DisplayText.clean(serverName) ?? "Sallyport", styleSheet: basePath + Asset.styleSheet.path,
      icon: basePath + Asset.icon.path)
    self.language = language
    self.editions = editions
  }

  private init(_ pages: Pages, in language: Language) {
    self.site = pages.site
    self.language = language
    self.editions = pages.editions
  }

  /// Returns the pages in another language. The copy shares the compiled templates.
  package func localized(in language: Language) -> Pages { Pages(self, in: language) }

  /// The texts that code chooses.
  package var texts: PageTexts {
    self.edition?.texts ?? PageTexts(self.language, Catalog(), english: Catalog())
  }

  /// Renders a template.
  /// - Parameter view: A value whose property names match the names in the template.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The templates are part of the program and all of them compile, so the result is never nil.
    self.edition?.library.render(view, withTemplate: template.rawValue) ?? ""
  }

  /// Returns an app's cleaned name, or a placeholder if it has none.
  func appName(_ name: String) -> String {
    DisplayText.clean(name) ?? self.texts[.unnamedApp]
  }
}
