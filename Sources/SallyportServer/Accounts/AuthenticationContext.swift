/// How users are authenticated. The only method is a password over a protected connection.
package enum AuthenticationContext {
  /// The `acr` value: the authentication context class of SAML 2.0 Authentication Context §3.4.11.
  package static let password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"
  /// The `amr` values (RFC 8176 §2).
  package static let methods = ["pwd"]
  /// The values of `acr_values_supported`.
  package static let supported = [password]
}
