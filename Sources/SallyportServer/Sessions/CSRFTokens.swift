import Crypto
import SallyportProtocol

/// CSRF tokens, each bound to a form, the browser session, the account, and the interaction.
package struct CSRFTokens: Sendable {
  private let key: SymmetricKey

  init(_ masterKey: MasterKey) {
    self.key = masterKey.key(for: "forms")
  }

  /// Returns the CSRF token of a form.
  /// - Parameters:
  ///   - purpose: A name for the form.
  ///   - session: Nil if no user is signed in.
  ///   - interaction: The identifier of the interaction; nil for a form that does not belong to one.
  package func token(purpose: String, session: BrowserSessionRecord?, interaction: String?) -> String {
    let session = session.map { Base64URL.encode($0.fingerprint.bytes) + " " + $0.account.rawValue } ?? ""
    let input = [purpose, session, interaction ?? ""].joined(separator: "\n")
    return Base64URL.encode(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: self.key))
  }

  /// Whether a form contains the token that ``token(purpose:session:interaction:)`` returns for these values.
  package func isValid(
    _ token: String?, purpose: String, session: BrowserSessionRecord?, interaction: String?
  ) -> Bool {
    guard let token else { return false }
    return constantTimeEqual(token.utf8, self.token(purpose: purpose, session: session, interaction: interaction).utf8)
  }
}
