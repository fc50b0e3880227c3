import SallyportResources

/// A script that keeps the browser from submitting a form again within 10 seconds, for example after a double click.
///
/// When a form is submitted twice, browsers drop the first response. The first response can be the only one with the
/// authorization code. After 10 seconds, the user can submit the form again, because the browser may have stayed on the
/// page: the user stopped it, or the response led to an app. The script does not apply to forms that ``PasskeyPrompt``
/// submits, and the forms work without it.
enum SubmitScript {
  private static let source = EmbeddedFiles.http.text("submit-once.js")
  private static let element = "<script>\(Self.source)</script>\n"

  /// The hash of the script, for the content security policy.
  static let hash = Pages.hash(ofScript: Self.source)

  /// Inserts the script at the end of the page's head, so that it also works on pages with an operator's templates, and
  /// while the page is being loaded.
  static func add(to html: inout String) {
    let head = html.utf8.firstRange(of: "</head>".utf8)
    html.insert(contentsOf: Self.element, at: head?.lowerBound ?? html.endIndex)
  }
}
