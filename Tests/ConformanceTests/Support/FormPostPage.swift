import HTTPTestSupport
import HTTPTypes

/// The page that makes the browser post an authorization response to the client (OAuth 2.0 Form Post Response Mode §2).
struct FormPostPage {
  /// The URL to which the form is posted.
  let action: String
  /// The hidden fields of the form.
  let fields: [String: String]

  /// - Returns: `nil` if the response is not a page with exactly one such form.
  init?(_ reply: Reply) {
    let forms = reply.body.matches(of: /<form method="post" action="([^"]*)">/)
    guard reply.status == .ok, reply.isPage, forms.count == 1, let form = forms.first else { return nil }
    let fields = reply.body.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
    self.action = Self.unescaped(form.1)
    self.fields = Dictionary(fields.map { (Self.unescaped($0.1), Self.unescaped($0.2)) }) { first, _ in first }
  }

  private static func unescaped(_ text: Substring) -> String {
    // `&amp;` comes last, so that `&amp;lt;` becomes `&lt;`.
    ["&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'"].reduce(String(text)) { $0.replacing($1.key, with: $1.value) }
      .replacing("&amp;", with: "&")
  }
}
