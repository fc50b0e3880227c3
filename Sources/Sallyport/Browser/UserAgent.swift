public import SallyportProtocol

/// Opens the authorization request in the person's own browser, an external user-agent (RFC 8252 §5 and §8.12).
///
/// The protocol hands over a URL and gets nothing back: an implementation can open a page, and cannot read one. The answer
/// comes through the redirect alone.
public protocol UserAgent: Sendable {
  /// Opens `url` and returns as soon as the browser was asked to; it does not wait for the person.
  /// - Throws: ``UserAgentError``
  func open(_ url: BrowserURL) async throws(UserAgentError)
}

/// Why no browser was opened.
public enum UserAgentError: Error, Equatable, Sendable {
  /// No program to open a page with was found; the texts say what was tried.
  case noBrowser(tried: [String])
  /// The program was there and failed at once.
  case failed(program: String, reason: String)
}

/// A URL that is fit to be handed to the operating system: of a checked endpoint, in URI characters only.
///
/// Rule C-25: there is no value of this type for `file:`, `javascript:`, a leading dash, a quote, a space, a
/// newline, or whatever else a shell reads but for the `&` and `?` of a query.
public struct BrowserURL: Sendable, CustomStringConvertible {
  public let value: String

  /// - Throws: `EndpointURLError`
  public init(_ text: String) throws(EndpointURLError) {
    self.value = try EndpointURL(text).value
    // RFC 3986 allows these, and some program on the way to the browser might read them as a shell does.
    guard !self.value.utf8.contains(where: "'()$!*;".utf8.contains) else { throw .malformed }
  }

  /// The URL with its query left out, since the query holds the request's state.
  public var description: String {
    String(self.value.prefix { $0 != "?" })
  }
}
