/// How the server sends the authorization response to the redirect URI (OAuth 2.0 Multiple Response Type Encoding
/// Practices §2.1).
public enum ResponseMode: String, Sendable, Codable, CaseIterable {
  /// In the query of the redirect URI.
  case query
  /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
  ///
  /// An app cannot receive a form. The redirect URI must be an `https` URL at which a server of the app receives it, and
  /// which then redirects to a URL that the app claims, with the form's parameters in its query. The app passes them to
  /// ``OAuthClient/resume(from:)`` as the query of the redirect URI. The app's server sees the code, but cannot use
  /// it without the verifier (RFC 7636 §1).
  case formPost = "form_post"
}
