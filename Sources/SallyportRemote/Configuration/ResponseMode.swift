extension ServerConfiguration {
  /// How the server sends the authorization response to the redirect URI (OAuth 2.0 Multiple Response Type Encoding
  /// Practices §2.1).
  public enum ResponseMode: String, Sendable, Codable, CaseIterable {
    /// In the query of the redirect URI.
    case query
    /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
    ///
    /// An app cannot receive a form, so the redirect URI must be an `https` URL of the app's own server. The app's
    /// server redirects the browser to a URL that the app claims, with the form's parameters in the query. The app
    /// appends this query to the redirect URI, and passes the result to ``OAuthClient/resume(from:)``. The app's server
    /// sees the code, but cannot use it without the code verifier (RFC 7636 §1).
    ///
    /// With a redirect URI that is not `https`, a sign-in fails with ``SignInError/formPostRequiresHTTPS`` before the
    /// browser opens.
    case formPost = "form_post"
  }
}
