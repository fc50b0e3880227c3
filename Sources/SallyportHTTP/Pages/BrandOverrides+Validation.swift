import SallyportLanguages

extension BrandOverrides {
  /// The languages in which pages are rendered: one for each text direction. Other languages need no check, because the
  /// forms of a page do not depend on the language.
  private static let renderedLanguages = [Language.english, .arabic]

  /// Compiles all templates in all languages. Then renders each page that contains an overridden template, and checks
  /// that it has all parts that the built-in page needs to work.
  /// - Throws: ``BrandingError`` that names the templates.
  package func validate() throws(BrandingError) {
    for language in PageCatalogs.languages {
      do { _ = try PageTemplate.library(self.texts(language), self) } catch let error as InvalidTemplate {
        throw BrandingError("\(error.template.rawValue).mustache is invalid in the language \(language.tag): \(error.reason)")
      } catch {
        throw BrandingError("the texts are invalid in the language \(language.tag): \(error)")
      }
    }
    guard !self.templates.isEmpty else { return }
    var branding = Branding()
    branding.overrides = self
    // The sample values are the tags of the templates, so that an error message quotes the template.
    for language in Self.renderedLanguages {
      let builtIn = TemplateSamples(pages: Pages(serverName: "{{site.name}}", language: language))
      let own = TemplateSamples(pages: Pages(serverName: "{{site.name}}", language: language, branding: branding))
      for template in PageTemplate.allCases {
        let files = self.overriddenTemplates(of: template)
        guard !files.isEmpty else { continue }
        for (expected, actual) in zip(builtIn.html(of: template), own.html(of: template)) {
          guard let part = PageOutline(expected).firstPart(missingFrom: PageOutline(actual), in: language) else { continue }
          throw BrandingError(
            "\(files.map { "\($0.rawValue).mustache" }.joined(separator: ", ")): the page of \(template.rawValue).mustache must"
              + " show \(part), which it needs to work")
        }
      }
    }
  }

  /// The overridden templates of a page: its own, the layout, and those that it includes.
  private func overriddenTemplates(of template: PageTemplate) -> [PageTemplate] {
    var found: Set<PageTemplate> = [template, .layout]
    var rest = [template, .layout]
    while let next = rest.popLast() {
      let names = self.source(next).matches(of: /\{\{[<>]\s*([^{}\s]+)\s*\}\}/)
      let included = names.compactMap { PageTemplate(rawValue: String($0.1)) }
      rest += included.filter { found.insert($0).inserted }
    }
    return PageTemplate.allCases.filter { found.contains($0) && self.templates[$0] != nil }
  }
}
