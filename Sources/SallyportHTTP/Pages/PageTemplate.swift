import Mustache
import SallyportResources

/// The templates. Each raw value is the name of a file in `Resources`, without the extension.
enum PageTemplate: String, CaseIterable {
  case layout, scopes, resources, passkey
  case appFacts = "app-facts"
  case signIn = "sign-in"
  case changePassword = "change-password"
  case consent, error, home
  case signedOut = "signed-out"
  case signOut = "sign-out"
  case device
  case account
  case accountChooser = "account-chooser"
  case accountDeletion = "account-deletion"
  case secondFactor = "second-factor"
  case authenticatorApp = "authenticator-app"
  case recoveryCodes = "recovery-codes"
  case accountLink = "account-link"
  case forgotPassword = "forgot-password"
  case signUp = "sign-up"
  case newAccount = "new-account"
  case formPost = "form-post"
  case webView = "web-view"

  /// Compiles all templates for a language. To include another template, a template names the raw value of that
  /// template.
  static func library(
    _ texts: PageTexts, _ overrides: BrandOverrides = BrandOverrides()
  ) throws(InvalidTemplate) -> MustacheLibrary {
    MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
    var library = MustacheLibrary()
    var tokens = TemplateTexts(texts)
    for template in Self.allCases {
      do {
        let source = try tokens.replaceTokens(in: overrides.source(template))
        try library.register(ScalarEscaping.pragma + source, named: template.rawValue)
      } catch {
        throw InvalidTemplate(template: template, reason: Self.reason(error))
      }
    }
    return library
  }

  /// Whether the page can have a form that is posted to the server.
  var hasForm: Bool {
    switch self {
    case .error, .signedOut, .recoveryCodes, .webView, .formPost: false
    default: true
    }
  }

  /// The content of the file, with the tokens that ``library(_:_:)`` replaces with texts of a language.
  var source: String { EmbeddedFiles.http.text("\(self.rawValue).mustache") }
}

extension PageTemplate {
  /// Describes an error of the template compiler, as the rest of a sentence.
  private static func reason(_ error: any Error) -> String {
    if let error = error as? TemplateTextError { return error.description }
    guard let parserError = error as? MustacheTemplate.ParserError else { return "\(error)" }
    let problem =
      switch parserError.error as? MustacheTemplate.Error {
      case .expectedSectionEnd: "the end of a section is missing"
      case .sectionCloseNameIncorrect: "the name at the end of a section differs from the name at its beginning"
      case .unfinishedName: "a tag is not closed, or its name is invalid"
      default: "\(parserError.error)"
      }
    // The pragma is the first line of the compiled text.
    return "line \(parserError.context.lineNumber - 1): \(problem)"
  }
}

/// A template that cannot be compiled.
struct InvalidTemplate: Error {
  let template: PageTemplate
  /// The problem, as the rest of a sentence.
  let reason: String
}
