import HTTPTypes

/// Windows and tabs of one browser, which share their cookies.
extension Browser {
  /// Opens a new tab and makes it the current window.
  package func openTab() async throws(WebDriverError) {
    struct Window: Decodable { var handle: String }
    let window = try await self.connection.call(.post, self.path("window/new"), ["type": "tab"], as: Window.self)
    try await self.switchToWindow(window.handle)
  }

  /// The handle of the current window.
  package var currentWindow: String {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("window"), as: String.self) }
  }

  /// The handles of all windows and tabs.
  package var windows: [String] {
    get async throws(WebDriverError) { try await self.connection.call(.get, self.path("window/handles"), as: [String].self) }
  }

  package func switchToWindow(_ handle: String) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("window"), ["handle": handle])
  }
}
