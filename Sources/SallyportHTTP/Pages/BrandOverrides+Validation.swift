import SallyportLanguages

extension BrandOverrides {
  /// The languages in which ``validate()`` renders pages: one for each text direction. Other languages need no check,
  /// because the forms of a page do not depend on the language.
  private static let renderedLanguages = [Language.english, .arabic]

  /// Checks the keys of all files, and compiles all templates in all languages. Then renders each page that contains an
  /// overridden template, and checks that it has all parts that the built-in page needs to work.
  /// - Throws: ``BrandingError`` that names the templates or catalogs.
  package func validate() throws(BrandingError) {
    try self.checkKeys()
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

  /// Checks that each key in a catalog or in a template of the operator has an English text, which is used for
  /// languages without the key.
  private func checkKeys() throws(BrandingError) {
    let english: PageTexts
    do throws(CatalogError) { english = try self.texts(.english) } catch {
      throw BrandingError("the texts are invalid in the language en: \(error)")
    }
    var keys: [(file: String, keys: Set<String>)] = []
    for language in Language.allCases {
      guard let catalog = self.catalogs[language] else { continue }
      keys.append(("languages/\(language.tag).json", Set(catalog.messages.keys)))
    }
    for template in PageTemplate.allCases {
      // `[[@language]]` and `[[@direction]]` are not in the catalogs.
      let tokens = self.templates[template]?.matches(of: /\[\[([^@\s\[\]][^\s\[\]]*)/) ?? []
      keys.append(("\(template.rawValue).mustache", Set(tokens.map { String($0.1) })))
    }
    let unknown = keys.compactMap { file, keys -> String? in
      let names = keys.filter { english.message($0) == nil }.sorted().map { "\"\($0)\"" }
      return names.isEmpty ? nil : "\(names.joined(separator: ", ")) (\(file))"
    }
    guard unknown.isEmpty else {
      throw BrandingError("these keys are neither built in nor in languages/en.json: \(unknown.joined(separator: "; "))")
    }
  }

  /// Returns those templates of a page that the operator has overridden. The templates of a page are its own, the
  /// layout, and all templates that these include.
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
