package import SallyportProtocol

/// What a page needs for a passkey ceremony: to add a passkey, or to sign a user in with one.
package struct PasskeyForm: Sendable {
  /// The options for the browser, as JSON.
  package let options: String
  /// The sealed challenge, which the form sends back.
  package let challenge: Secret<String>

  package init(options: String, challenge: Secret<String>) {
    self.options = options
    self.challenge = challenge
  }
}
