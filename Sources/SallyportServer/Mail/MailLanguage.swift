import SallyportResources

/// The texts of mail in one language. Each language has a folder in `Resources/Mail`.
struct MailLanguage: Sendable {
  /// The language tag (BCP 47).
  let tag: String
  /// Short texts by name.
  private let phrases: [String: String]
  private let templates: [MailContent.Template: MailTemplate]

  static let english = MailLanguage(tag: "en")

  private init(tag: String) {
    self.tag = tag
    let file = { (name: String) in EmbeddedFiles.server.text("Mail/\(tag)/\(name).\(tag).txt") }
    self.templates = Dictionary(
      uniqueKeysWithValues: MailContent.Template.allCases.map { ($0, MailTemplate(file($0.rawValue))) })
    self.phrases = file("phrases").split(separator: "\n").reduce(into: [:]) { phrases, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      phrases[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }

  /// - Returns: The phrase; the name if there is no such phrase.
  func phrase(_ name: String) -> String { self.phrases[name] ?? name }

  func template(_ template: MailContent.Template) -> MailTemplate { self.templates[template] ?? MailTemplate("") }
}
