import SallyportLanguages

/// The operator's templates and texts, which replace built-in ones.
package struct BrandOverrides: Sendable {
  var templates: [PageTemplate: String] = [:]
  /// The operator's texts of each language.
  var catalogs: [Language: Catalog] = [:]

  package init() {}

  var isEmpty: Bool { self.templates.isEmpty && self.catalogs.isEmpty }

  /// Adds a file from the operator's folder of templates and texts.
  /// - Parameter path: `NAME.mustache`, or `languages/TAG.json`.
  /// - Throws: ``BrandingError`` if the file is invalid. ``validate()`` finds the mistakes that depend on other files.
  package mutating func add(_ path: String, _ bytes: [UInt8]) throws(BrandingError) {
    guard bytes.count <= 256 << 10 else { throw BrandingError("is larger than 256 KiB") }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw BrandingError("is not UTF-8 text") }
    if let name = path.removing(suffix: ".mustache") {
      guard let template = PageTemplate(rawValue: name) else {
        throw BrandingError("does not have the name of a built-in template")
      }
      try Self.check(text, replacing: template)
      self.templates[template] = text
    } else if let tag = path.removing(prefix: "languages/")?.removing(suffix: ".json") {
      guard let language = Language(rawValue: tag) else { throw BrandingError("does not have the tag of a supported language") }
      self.catalogs[language] = try Self.catalog(bytes, language)
    } else {
      throw BrandingError("is neither NAME.mustache nor languages/TAG.json")
    }
  }

  func source(_ template: PageTemplate) -> String { self.templates[template] ?? template.source }

  /// Returns the texts of a language. The operator's texts take precedence over built-in texts with the same keys. A
  /// text that is missing in the language is taken from English.
  func texts(_ language: Language) throws(CatalogError) -> PageTexts {
    var english = try PageCatalogs.catalog(.english)
    english.messages.merge(self.catalogs[.english]?.messages ?? [:]) { _, replacement in replacement }
    guard language != .english else { return PageTexts(language, english, english: english) }
    var catalog = try PageCatalogs.catalog(language)
    catalog.messages.merge(self.catalogs[language]?.messages ?? [:]) { _, replacement in replacement }
    return PageTexts(language, catalog, english: english)
  }

  /// Parses a catalog of the operator. A message that replaces a built-in message must have the same arguments. It must
  /// have a plural if and only if the built-in message has one. Each plural must have exactly the categories of the
  /// language.
  private static func catalog(_ bytes: [UInt8], _ language: Language) throws(BrandingError) -> Catalog {
    let catalog: Catalog
    let builtIn: Catalog
    do throws(CatalogError) { (catalog, builtIn) = (try Catalog(json: bytes), try PageCatalogs.catalog(.english)) } catch {
      throw BrandingError("is invalid: \(error.description)")
    }
    for (key, message) in catalog.messages.sorted(by: { $0.key < $1.key }) {
      if let replaced = builtIn.messages[key],
        message.arguments != replaced.arguments || message.hasPlural != replaced.hasPlural
      {
        throw BrandingError("has a message \"\(key)\" whose arguments or plurals differ from the built-in message")
      }
      guard message.plurals.allSatisfy({ $0 == language.pluralCategories }) else {
        throw BrandingError("has a message \"\(key)\" whose plural categories do not match the language")
      }
    }
    return catalog
  }

  /// Checks that a template uses only values that the page has, and has no more scripts than the built-in template. The
  /// template must escape the values, except those that the built-in template inserts with `{{{`.
  private static func check(_ text: String, replacing template: PageTemplate) throws(BrandingError) {
    let builtIn = template.source
    // `{{{` and `{{&` insert a value without escaping, `{{%` is a pragma, and `{{=` changes the delimiters.
    let unescaped = builtIn.matches(of: /\{\{\{[^{}]+\}\}\}/).map { String($0.output) }
    let rest = unescaped.reduce(text) { $0.replacing($1, with: "") }
    for part in ["{{{", "{{&", "{{%", "{{="] where rest.contains(part) {
      throw BrandingError("contains \"\(part)\", which is not allowed")
    }
    let allowed = Self.tags(builtIn).union(Self.tags(PageTemplate.layout.source))
    for tag in Self.tags(text).sorted() where !allowed.contains(tag) {
      throw BrandingError("contains the tag {{\(tag)}}, which this page does not have")
    }
    let scripts = text.lowercased().ranges(of: "<script").count
    guard scripts <= builtIn.ranges(of: "<script").count else { throw BrandingError("contains a script, which is not allowed") }
  }

  /// The names of variables, sections, and included templates.
  private static func tags(_ source: String) -> Set<String> {
    Set(source.matches(of: /\{\{[{#^\/<>$]?\s*([^{}\s]+)\s*\}\}/).map { String($0.1) })
  }
}

extension String {
  fileprivate func removing(suffix: String) -> String? { self.hasSuffix(suffix) ? String(self.dropLast(suffix.count)) : nil }
  fileprivate func removing(prefix: String) -> String? { self.hasPrefix(prefix) ? String(self.dropFirst(prefix.count)) : nil }
}
