import Crypto
package import Sallyport
package import SallyportLanguages
import SallyportLook

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The page that remains in the browser after a sign-in or sign-out. It shows the outcome and that the user can return
/// to the app (rule C-27).
///
/// The page is one document without scripts, links, or external resources, so that its URL is sent to no other server
/// (RFC 9700 §4.2.4). After a sign-in, the URL contains the code. The icon is embedded, because the browser would
/// otherwise request one from the receiver's port, which may already be closed or belong to another program.
package enum LastPage {
  /// The CSP source expression for the page's style element, including the quotes.
  package static let styleHash = "'sha256-\(Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString())'"

  private static let icon = "data:image/svg+xml;base64,\(Data(Look.icon.utf8).base64EncodedString())"

  /// The language of the page: the first available language that the app prefers or, if there is none, that the browser
  /// prefers. The default is English.
  /// - Parameters:
  ///   - uiLocales: The language tags of the app's options, in order of preference.
  ///   - acceptLanguage: The browser's `Accept-Language` field, or `nil` if it sent none.
  package static func language(uiLocales: [String], acceptLanguage: String?) -> Language {
    let languages = LastPageTexts.languages
    return Language.preferred(uiLocales: uiLocales.joined(separator: " "), among: languages)
      ?? acceptLanguage.flatMap { Language.preferred(acceptLanguage: $0, among: languages) } ?? .english
  }

  /// - Parameter outcome: Nil if the outcome is not known in time. The page then states neither success nor failure.
  package static func html(_ outcome: ReceivedRedirect.Outcome?, in language: Language = .english) -> String {
    self.html(outcome, LastPageTexts(language))
  }

  package static func html(_ outcome: ReceivedRedirect.Outcome?, _ texts: LastPageTexts) -> String {
    let (words, language) = (Words(outcome, texts), texts.language)
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)" dir="\(language.direction.rawValue)">
      <head>
      <meta charset="utf-8">
      <title>\(words.heading)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="\(Self.icon)">
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      \(words.symbol.svg)
      <h1>\(words.heading)</h1>
      <p>\(words.message)</p>
      <p class="quiet">\(words.nextStep)</p>
      </main>
      </body>
      </html>

      """
  }
}
