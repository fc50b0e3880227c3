extension Pages {
  /// One parameter of the authorization response.
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

  /// Returns the page that posts an authorization response to the app (OAuth 2.0 Form Post Response Mode §2). If
  /// JavaScript is turned off, the user presses the page's button.
  package func formPost(to action: String, appName: String, _ parameters: [(name: String, value: String)]) -> String {
    self.render(
      .formPost,
      FormPostView(
        site: self.site, appName: self.appName(appName), action: action,
        fields: parameters.map { FormField(name: $0.name, value: $0.value) }))
  }

  /// The hash of the script of the page that posts a response, for the content security policy. The text must be
  /// exactly the script in `form-post.mustache`.
  static let formPostScriptHash = Self.hash(ofScript: "document.forms[0].submit()")
}
