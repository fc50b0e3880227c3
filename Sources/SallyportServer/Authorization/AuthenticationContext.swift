/// How people prove here who they are. There is one way: their password, over a protected connection.
package enum AuthenticationContext {
  /// `acr`, the class of SAML 2.0 Authentication Context §3.4.11 for exactly this.
  package static let password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
  /// `amr`, RFC 8176 §2.
  package static let methods = ["pwd"]
  /// `acr_values_supported`.
  package static let supported = [password]
}
