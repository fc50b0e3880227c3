/// What happens when a user opens a sign-in page in an embedded web view, whose app can read the password and the
/// session (RFC 8252 §8.12).
///
/// An app can choose any `User-Agent` for its web view, so the server detects only web views that identify themselves.
public enum WebViewPolicy: String, Sendable, Codable, CaseIterable {
  /// The user cannot sign in, and a page says how to continue in the browser.
  case block
  /// The sign-in page contains a warning with a link to the page that ``block`` shows.
  case warn
  /// Web views are not detected.
  case off
}
