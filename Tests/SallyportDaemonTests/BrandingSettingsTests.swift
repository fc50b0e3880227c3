import Foundation
import Testing

@testable import SallyportDaemon

@Suite("Settings of the branding")
struct BrandingSettingsTests {
  /// Returns the messages about mistakes in a settings file with this content.
  private func mistakes(in file: String) -> [String] {
    do {
      _ = try ServerSettings([SettingSource(file: file, path: "s.yaml")])
      return []
    } catch { return error.list }
  }

  @Test("colors must have enough contrast, links must be https URLs, and the language must be supported")
  func colorsAndLinks() throws {
    #expect(self.mistakes(in: "branding: { colors: { light: \"#0b5394\", dark: \"#9fc5e8\" } }\nlanguage: de") == [])
    let weak = self.mistakes(in: "branding: { colors: { light: \"#9fc5e8\", dark: \"#9fc5e8\" } }")
    #expect(
      weak.count == 1 && weak[0].contains("branding.colors.light") && weak[0].contains("must have a contrast of at least 4.5"))
    #expect(self.mistakes(in: "branding.colors.light: \"#0b5394\"").first?.contains("requires branding.colors.dark") == true)
    #expect(self.mistakes(in: "branding.links.privacy: http://localhost/").first?.contains("must be an https URL") == true)
    #expect(self.mistakes(in: "branding.links.terms: https://example.com/terms") == [])
    #expect(self.mistakes(in: "language: tlh").first?.contains("must be one of en, de") == true)
  }

  @Test("a message about a mistake in a template, in a catalog, or in the logo names the file that contains the mistake")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "branding-\(UUID())")
    try FileManager.default.createDirectory(at: folder.appending(path: "languages"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let setting = "branding: { templates: \(folder.path), logo: \(folder.path)/logo.svg }"
    try Data("<svg/>".utf8).write(to: folder.appending(path: "logo.svg"))
    let logoMistakes = self.mistakes(in: setting)
    #expect(logoMistakes.count == 1 && logoMistakes[0].contains("logo.svg is neither"))
    try FileManager.default.removeItem(at: folder.appending(path: "logo.svg"))
    #expect(self.mistakes(in: setting).first?.contains("\(folder.path)/logo.svg, which cannot be read") == true)

    let templates = "branding.templates: \(folder.path)"
    try Data("{\"home.title\": \"Start\"}".utf8).write(to: folder.appending(path: "languages/en.json"))
    #expect(self.mistakes(in: templates) == [])
    for text in ["{", "{\"home.title\": \"{other}\"}"] {
      try Data(text.utf8).write(to: folder.appending(path: "languages/de.json"))
      let mistakes = self.mistakes(in: templates)
      #expect(mistakes.count == 1 && mistakes[0].contains("\(folder.path)/languages/de.json "), "\(mistakes)")
    }
    try Data("{\"home.titel\": \"Start\", \"own\": \"x\"}".utf8).write(to: folder.appending(path: "languages/de.json"))
    #expect(self.mistakes(in: templates).first?.contains(#""home.titel", "own" (languages/de.json)"#) == true)
    try FileManager.default.removeItem(at: folder.appending(path: "languages/de.json"))
    try Data("<p>x</p>".utf8).write(to: folder.appending(path: "sign-in.mustache"))
    #expect(self.mistakes(in: templates).first?.contains("\(folder.path), sign-in.mustache: the page") == true)
    #expect(self.mistakes(in: "branding.templates: /nonexistent").first?.contains("cannot be read") == true)
  }
}
