#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import SallyportProtocol

/// Opens the authorization request in an external user agent, usually the user's browser (RFC 8252 §5 and §8.12).
///
/// A user agent receives a URL and returns nothing. The response arrives only through the redirect.
public protocol UserAgent: Sendable {
  /// Opens `url` and returns as soon as the browser has been asked to open it, without waiting for the user.
  /// - Throws: ``UserAgentError``
  func open(_ url: BrowserURL) async throws(UserAgentError)
}

/// Why a browser could not be opened.
public enum UserAgentError: Error, Equatable, Sendable {
  /// No program that can open a page was found.
  /// - Parameter tried: The programs that were tried.
  case noBrowser(tried: [String])
  /// The program was found, but did not open the page.
  case failed(program: String, reason: String)
}

/// A URL that is safe to pass to the operating system: a checked endpoint that contains only URI characters.
///
/// A value of this type never has the scheme `file:` or `javascript:`, and never contains a leading dash, whitespace,
/// a quote, a backslash, a parenthesis, or one of the characters `$!*;|<>` (rule C-25).
public struct BrowserURL: Sendable, CustomStringConvertible {
  /// The URL as text.
  public let value: String
  /// The URL as a Foundation `URL`.
  public let url: URL

  /// Checks a URL.
  /// - Throws: `EndpointURLError` if the text is not a URL that is safe to open.
  public init(_ text: String) throws(EndpointURLError) {
    self.value = try EndpointURL(text).value
    guard let url = URL(string: self.value) else { throw .malformed }
    self.url = url
    // RFC 3986 allows these characters, but a program that passes the URL to the browser might interpret them as a
    // shell does.
    guard !self.value.utf8.contains(where: "'()$!*;".utf8.contains) else { throw .malformed }
  }

  /// The URL without its query, because the query contains the request's state.
  public var description: String {
    String(self.value.prefix { $0 != "?" })
  }
}
