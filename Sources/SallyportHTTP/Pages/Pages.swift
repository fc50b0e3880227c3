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
    /// The path of the operator's logo; nil for the built-in one.
    let logo: String?
    let links: [Link]
    let hasLinks: Bool
  }

  /// A link below the page.
  struct Link {
    let label: String
    let address: String
  }

  let name: String
  private let basePath: String
  private let branding: Branding
  private let styleSheet: Asset
  /// The language of the pages.
  package private(set) var language: Language
  private let editions: PageEditions
  /// The texts and the compiled templates. They are loaded when the first page is shown, because compiling the
  /// templates would add a tenth to the server's startup time.
  private var edition: PageEditions.Edition? { self.editions.edition(self.language) }

  /// - Parameter basePath: The path of the issuer without a trailing slash; empty if it has none.
  package init(
    serverName: String, basePath: String = "", language: Language = .english, branding: Branding = Branding()
  ) {
    self.init(
      serverName: serverName, basePath: basePath, language: language, branding: branding,
      editions: branding.overrides.isEmpty ? .builtIn : PageEditions(branding.overrides))
  }

  init(
    serverName: String, basePath: String = "", language: Language, branding: Branding = Branding(), editions: PageEditions
  ) {
    self.name = DisplayText.clean(serverName) ?? "Sallyport"
    self.basePath = basePath
    self.branding = branding
    self.styleSheet = branding.styleSheet
    self.language = language
    self.editions = editions
  }

  /// Returns the pages in another language. The copy shares the compiled templates.
  package func localized(in language: Language) -> Pages {
    var copy = self
    copy.language = language
    return copy
  }

  /// The files that the pages refer to: the style sheet, the icon, and the operator's logo.
  var assets: [Asset] { [self.styleSheet, .icon] + (self.branding.logo.map { [$0.asset] } ?? []) }

  /// The values that every page shows, in the language of the pages.
  var site: Site {
    Site(
      name: self.name, styleSheet: self.basePath + self.styleSheet.path, icon: self.basePath + Asset.icon.path,
      logo: self.branding.logo.map { self.basePath + $0.asset.path },
      links: self.branding.links.map { Link(label: self.texts[$0.kind.text], address: $0.address) },
      hasLinks: !self.branding.links.isEmpty)
  }

  /// The texts that Swift code chooses. The templates contain the keys of all other texts.
  package var texts: PageTexts {
    self.edition?.texts ?? PageTexts(self.language, Catalog(), english: Catalog())
  }

  /// Renders a template.
  /// - Parameter view: A value whose property names match the names in the template.
  func render(_ template: PageTemplate, _ view: some Sendable) -> String {
    // The edition is not nil: the built-in templates compile, and `BrandOverrides.validate` has checked the operator's
    // templates.
    var html = self.edition?.library.render(view, withTemplate: template.rawValue) ?? ""
    if template.hasForm { SubmitScript.add(to: &html) }
    return html
  }

  /// Returns an app's cleaned name, or a placeholder if it has none.
  func appName(_ name: String) -> String {
    DisplayText.clean(name) ?? self.texts[.unnamedApp]
  }
}
