import Crypto
import SallyportLanguages
import SallyportProtocol
import SallyportResources
package import SallyportServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A button that creates or uses a passkey, with the script that talks to the authenticator. Without JavaScript, the
/// button is hidden.
///
/// The button's form has the hidden fields `csrf`, `challenge`, `response`, and `public-device`.
package struct PasskeyPrompt: Sendable {
  /// The raw values are the names of the methods of `navigator.credentials` that the script calls.
  package enum Kind: String, Sendable {
    case signIn = "get"
    case registration = "create"
  }

  package var kind: Kind
  package var form: PasskeyForm
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String

  package init(_ kind: Kind, form: PasskeyForm, action: String, csrfToken: String) {
    self.kind = kind
    self.form = form
    self.action = action
    self.csrfToken = csrfToken
  }
}

extension PasskeyPrompt {
  /// The values for the template.
  struct View: Sendable {
    let kind: String
    let options: String
    let challenge: String
    let action: String
    let csrfToken: String
    /// The value of the button, whose name is `method`.
    let button: String
    let label: String
    /// The message that the script shows if the authenticator or the browser reports an error.
    let failed: String
    /// The message that the script shows if the authenticator already has a passkey of the account.
    let exists: String
    let script: String
  }

  /// - Parameter passwordCanSuffice: Whether the user can sign in with a password instead.
  func view(passwordCanSuffice: Bool = true, _ texts: PageTexts) -> View {
    let isNew = self.kind == .registration
    let notUsed = passwordCanSuffice ? PageText.passkeyNotUsed : .passkeyNotUsedWithoutPassword
    return View(
      kind: self.kind.rawValue, options: self.form.options, challenge: self.form.challenge.reveal(), action: self.action,
      csrfToken: self.csrfToken, button: isNew ? "add-passkey" : "passkey",
      label: texts[isNew ? .passkeyAdd : .passkeySignIn],
      failed: texts[isNew ? .passkeyNotAdded : notUsed],
      exists: texts[.passkeyExists], script: Self.script)
  }

  private static let script = EmbeddedFiles.http.text("passkey.js")

  /// The hash of the script, for the content security policy.
  static let scriptHash = Pages.hash(ofScript: Self.script)
}

extension Pages {
  /// Returns the hash of an inline script, for the content security policy (Content Security Policy Level 3 §2.3.1).
  static func hash(ofScript script: String) -> String {
    "'sha256-\(Data(SHA256.hash(data: Array(script.utf8))).base64EncodedString())'"
  }
}
