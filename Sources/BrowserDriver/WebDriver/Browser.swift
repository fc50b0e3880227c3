import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A browser window, driven through W3C WebDriver as a person would: pages, fields, clicks, and what can be seen.
///
/// ``withBrowser(_:isolation:_:)`` opens one and closes it.
package struct Browser: Sendable {
  let connection: DriverConnection
  let session: String

  /// Opens a page and waits until it is loaded. A page that is no page (a redirect to an app, a refused connection) throws.
  package func open(_ url: String) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("url"), ["url": url])
  }

  /// The address of the page that is shown.
  package var currentURL: String {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("url"), as: String.self) }
  }

  package var title: String {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("title"), as: String.self) }
  }

  /// The page as HTML.
  package var source: String {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("source"), as: String.self) }
  }

  /// What a person can read on the page.
  package var text: String {
    get async throws(WebDriverError) { try await self.text(of: self.find("body")) }
  }

  /// The cookies that the browser would send to this page, HttpOnly ones included.
  package var cookies: [Cookie] {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("cookie"), as: [Cookie].self) }
  }

  /// The visible part of the page as a PNG file.
  package var screenshot: [UInt8] {
    get async throws(WebDriverError) {
      let text = try await self.connection.call(.get, self.path("screenshot"), as: String.self)
      guard let data = Data(base64Encoded: text) else { throw .malformed(command: "GET screenshot") }
      return Array(data)
    }
  }

  /// The first element that a CSS selector finds.
  package func find(_ selector: String) async throws(WebDriverError) -> Element {
    try await self.connection.call(.post, self.path("element"), Self.css(selector), as: Element.self)
  }

  /// All elements that a CSS selector finds, perhaps none.
  package func findAll(_ selector: String) async throws(WebDriverError) -> [Element] {
    try await self.connection.call(.post, self.path("elements"), Self.css(selector), as: [Element].self)
  }

  package func text(of element: Element) async throws(WebDriverError) -> String {
    try await self.connection.call(.get, self.path("element/\(element.reference)/text"), as: String.self)
  }

  /// An attribute as the page's HTML has it, or nil.
  package func attribute(_ name: String, of element: Element) async throws(WebDriverError) -> String? {
    try await self.connection.callForOptional(
      .get, self.path("element/\(element.reference)/attribute/\(name)"), as: String.self)
  }

  /// Types into a field, after what is there already.
  package func type(_ text: String, into selector: String) async throws(WebDriverError) {
    let element = try await self.find(selector)
    try await self.connection.call(.post, self.path("element/\(element.reference)/value"), ["text": text])
  }

  /// Empties a field.
  package func clear(_ selector: String) async throws(WebDriverError) {
    let element = try await self.find(selector)
    try await self.connection.call(.post, self.path("element/\(element.reference)/clear"))
  }

  /// Presses Enter in a field, which submits its form.
  package func pressEnter(in selector: String) async throws(WebDriverError) {
    // W3C WebDriver §17.4.2: the key "Enter".
    try await self.type("\u{E007}", into: selector)
  }

  /// Clicks and, where that leads to another page, waits until it is loaded.
  package func click(_ selector: String) async throws(WebDriverError) {
    let element = try await self.find(selector)
    try await self.connection.call(.post, self.path("element/\(element.reference)/click"))
  }

  /// Asks again and again until the condition holds. A page that changes while it is read is not there yet.
  /// - Throws: ``DeadlineError`` or what the condition throws.
  package func wait(
    for what: String, within duration: Duration = .seconds(20), isolation: isolated (any Actor)? = #isolation,
    until condition: (Browser) async throws -> Bool
  ) async throws {
    try await eventually(what, within: duration) {
      do { return try await condition(self) ? () : nil } catch let error as WebDriverError where error.isOfChangingPage {
        return nil
      }
    }
  }

  func path(_ command: String) -> String { "/session/\(self.session)/\(command)" }

  private static func css(_ selector: String) -> [String: String] {
    ["using": "css selector", "value": selector]
  }
}
