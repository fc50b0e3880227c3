package import SallyportProtocol

/// The page on which a signed-in user sets up an authenticator app.
///
/// Its form has the field `code`, and the hidden fields `csrf` and `enrollment`.
package struct AuthenticatorAppPage: Sendable {
  /// Nil if the server cannot draw QR codes.
  package var qrCode: QRCode?
  /// The secret, in groups of four characters, for users who cannot scan the QR code.
  package var secret: Secret<String>
  /// The value of the hidden field `enrollment`: the encrypted secret, which the server stores only after a correct
  /// code.
  package var enrollment: Secret<String>
  /// Whether the user entered a wrong code.
  package var isCodeWrong: Bool
  /// The address to which the form is posted.
  package var action: String
  package var csrfToken: String
  /// The path of the account page.
  package var cancelAction: String

  package init(
    qrCode: QRCode?, secret: Secret<String>, enrollment: Secret<String>, isCodeWrong: Bool = false, action: String,
    csrfToken: String, cancelAction: String
  ) {
    self.qrCode = qrCode
    self.secret = secret
    self.enrollment = enrollment
    self.isCodeWrong = isCodeWrong
    self.action = action
    self.csrfToken = csrfToken
    self.cancelAction = cancelAction
  }
}
