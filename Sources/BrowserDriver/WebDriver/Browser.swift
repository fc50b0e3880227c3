import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A browser window that is controlled through W3C WebDriver.
///
/// ``withBrowser(_:isolation:_:)`` opens a window and closes it.
package struct Browser: Sendable {
  let connection: DriverConnection
  /// The identifier of the WebDriver session.
  let session: String

  /// Opens a page and waits until it is loaded. Throws if the browser cannot load a page, for example because the
  /// server redirects to an app or refuses the connection.
  package func open(_ url: String) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("url"), ["url": url])
  }

  /// The URL of the current page.
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

  /// The visible text of the page.
  package var text: String {
    get async throws(WebDriverError) { try await self.text(of: "body") }
  }

  /// The cookies that the browser would send to this page, including HttpOnly cookies.
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

  /// Returns the first element that matches a CSS selector. Throws if there is none.
  package func find(_ selector: String) async throws(WebDriverError) -> Element {
    try await self.connection.call(.post, self.path("element"), Self.css(selector), as: Element.self)
  }

  /// Returns all elements that match a CSS selector.
  package func findAll(_ selector: String) async throws(WebDriverError) -> [Element] {
    try await self.connection.call(.post, self.path("elements"), Self.css(selector), as: [Element].self)
  }

  /// Returns the visible text of the first element that matches a CSS selector.
  package func text(of selector: String) async throws(WebDriverError) -> String {
    try await self.withElement(selector) { (path) throws(WebDriverError) in
      try await self.connection.call(.get, "\(path)/text", as: String.self)
    }
  }

  /// Whether the first element that matches a CSS selector is visible. False if no element matches.
  package func isVisible(_ selector: String) async throws(WebDriverError) -> Bool {
    guard let element = try await self.findAll(selector).first else { return false }
    return try await self.connection.call(.get, self.path("element/\(element.reference)/displayed"), as: Bool.self)
  }

  /// Types text into a field, after its current content.
  package func type(_ text: String, into selector: String) async throws(WebDriverError) {
    try await self.withElement(selector) { (path) throws(WebDriverError) in
      try await self.connection.call(.post, "\(path)/value", ["text": text])
    }
  }

  /// Clears a field.
  package func clear(_ selector: String) async throws(WebDriverError) {
    try await self.withElement(selector) { (path) throws(WebDriverError) in
      try await self.connection.call(.post, "\(path)/clear")
    }
  }

  /// The name that a screen reader speaks for the element that has the focus.
  package var nameOfFocusedElement: String {
    get async throws(WebDriverError) {
      let element = try await self.connection.call(.get, self.path("element/active"), as: Element.self)
      return try await self.connection.call(.get, self.path("element/\(element.reference)/computedlabel"), as: String.self)
    }
  }

  /// A key that a form treats as a command. Tab and Enter have the code points that W3C WebDriver §17.4.2 assigns to
  /// keys without a character.
  package enum Key: Character, Sendable {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case space = " "
  }

  /// Presses a key. The element that has the focus receives it.
  package func press(_ key: Key) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("actions"), KeyActions(pressing: [key.rawValue]))
  }

  /// Types text into the element that has the focus.
  package func typeIntoFocusedElement(_ text: String) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("actions"), KeyActions(pressing: text))
  }

  /// Presses Enter in a field, which submits its form.
  package func pressEnter(in selector: String) async throws(WebDriverError) {
    // W3C WebDriver §17.4.2: the key "Enter".
    try await self.type("\u{E007}", into: selector)
  }

  /// Clicks an element. If this loads another page, waits until it is loaded.
  package func click(_ selector: String) async throws(WebDriverError) {
    try await self.withElement(selector) { (path) throws(WebDriverError) in
      try await self.connection.call(.post, "\(path)/click")
    }
  }

  /// Evaluates a condition repeatedly until it is true. A condition that throws because an element is missing or stale
  /// counts as false, because the page may be changing.
  /// - Parameter what: What the function waits for. The description of ``DeadlineError`` contains this text.
  /// - Throws: ``DeadlineError``, `CancellationError`, or the error that the condition throws.
  package func wait(
    for what: String, within duration: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    until condition: (Browser) async throws -> Bool
  ) async throws {
    // `eventually` repeats its closure until the closure returns a value other than nil.
    try await eventually(what, within: duration) {
      do { return try await condition(self) ? () : nil } catch let error as WebDriverError where error.isCausedByPageChange {
        return nil
      }
    }
  }

  /// Finds an element and runs a command on it. If the page was replaced between these two steps, repeats both steps,
  /// for up to 20 seconds.
  /// - Parameter body: Runs the command. Receives the path of the element.
  private func withElement<R>(
    _ selector: String, _ body: (_ path: String) async throws(WebDriverError) -> R
  ) async throws(WebDriverError) -> R {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      do {
        return try await body(self.path("element/\(self.find(selector).reference)"))
      } catch {
        guard error.isStaleElement, ContinuousClock.now < deadline else { throw error }
      }
    }
  }

  func path(_ command: String) -> String { "/session/\(self.session)/\(command)" }

  private static func css(_ selector: String) -> [String: String] {
    ["using": "css selector", "value": selector]
  }
}
