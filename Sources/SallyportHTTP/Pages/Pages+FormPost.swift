import Crypto
import SallyportLook

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Pages {
  /// One parameter of the answer.
  struct FormField {
    let name: String
    let value: String
  }

  private struct FormPostView {
    let site: Site
    let appName: String
    let action: String
    let fields: [FormField]
  }

  /// The page that posts an answer to its app, OAuth 2.0 Form Post Response Mode §2. Without JavaScript the person presses the button.
  func formPost(to action: String, appName: String, _ parameters: [(name: String, value: String)]) -> String {
    self.render(
      .formPost,
      FormPostView(
        site: self.site, appName: DisplayText.appName(appName), action: action,
        fields: parameters.map { FormField(name: $0.name, value: $0.value) }))
  }

  /// The one script of all pages, as a policy names it.
  static var formPostScript: String {
    let digest = SHA256.hash(data: Array("document.forms[0].submit()".utf8))
    return "'sha256-\(Data(digest).base64EncodedString())'"
  }
}
