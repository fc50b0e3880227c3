import HTTPTypes
import Hummingbird
import SallyportLanguages
import SallyportProtocol

/// Chooses the language of a page, in this order: what the app asks for, the user's setting, what the browser asks for,
/// and the server's default.
struct RequestLanguage: Sendable {
  /// The server's default language.
  let defaultLanguage: Language
  /// The languages that have catalogs.
  let languages: [Language]

  init(defaultLanguage: Language, languages: [Language] = PageCatalogs.languages) {
    self.defaultLanguage = defaultLanguage
    self.languages = languages
  }

  /// - Parameters:
  ///   - uiLocales: The parameter `ui_locales` of the authorization request to which the page belongs; nil to read the
  ///     parameter from the URL of `request`.
  ///   - setting: The setting of the signed-in user.
  func language(of request: Request, uiLocales: String?, setting: Language?) -> Language {
    if let uiLocales = uiLocales ?? Self.uiLocales(in: request),
      let language = Language.preferred(uiLocales: uiLocales, among: self.languages)
    {
      return language
    }
    if let setting, self.languages.contains(setting) { return setting }
    guard let text = request.headers[.acceptLanguage] else { return self.defaultLanguage }
    return Language.preferred(acceptLanguage: text, among: self.languages, preference: self.defaultLanguage)
      ?? self.defaultLanguage
  }

  private static func uiLocales(in request: Request) -> String? {
    guard let query = request.uri.query, query.contains("ui_locales="), let form = try? FormParameters(parsing: query) else {
      return nil
    }
    return form["ui_locales"]
  }
}
