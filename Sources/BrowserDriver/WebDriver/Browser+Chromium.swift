import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Functions that only Chromium's driver provides.
extension Browser {
  /// Returns the URLs that the window navigated to since the last call to this function, including redirects to apps
  /// and to unreachable hosts.
  package func takeNavigations() async throws(WebDriverError) -> [String] {
    let entries = try await self.connection.call(
      .post, self.path("se/log"), ["type": "performance"], as: [LogEntry].self)
    return entries.compactMap { entry in
      guard let event = try? JSONDecoder().decode(LogMessage.self, from: Data(entry.message.utf8)).message,
        event.method == "Network.requestWillBeSent", event.params.requestId == event.params.loaderId
      else { return nil }
      return event.params.documentURL
    }
  }

  /// Sets the page's size, independent of the window's frame, and the color scheme, and disables scripts unless
  /// `options` allows them.
  func emulate(_ options: BrowserOptions) async throws(WebDriverError) {
    try await self.resize(width: options.width, height: options.height)
    try await self.setColors(options.colorScheme)
    if !options.scripting { try await self.setScripting(false) }
  }

  /// Sets whether pages may run scripts. Scripts that were skipped while a page was loaded do not run later.
  package func setScripting(_ isEnabled: Bool) async throws(WebDriverError) {
    try await self.chromium("Emulation.setScriptExecutionDisabled", ["value": !isEnabled])
  }

  /// Sets the `User-Agent` header field of further requests.
  package func setUserAgent(_ userAgent: String) async throws(WebDriverError) {
    try await self.chromium("Emulation.setUserAgentOverride", ["userAgent": userAgent])
  }

  /// Sets the page's size in CSS pixels, independent of the window's frame.
  package func resize(width: Int, height: Int) async throws(WebDriverError) {
    try await self.chromium(
      "Emulation.setDeviceMetricsOverride", Metrics(width: width, height: height, deviceScaleFactor: 1, mobile: false))
  }

  /// Sets the color scheme that the user prefers, and turns off animations, so that the colors change at once.
  /// - Parameter areForced: Whether the user's colors replace the page's colors, as in the contrast themes of Windows.
  package func setColors(_ scheme: BrowserOptions.ColorScheme, areForced: Bool = false) async throws(WebDriverError) {
    try await self.chromium(
      "Emulation.setEmulatedMedia",
      Media(features: [
        Media.Feature(name: "prefers-color-scheme", value: scheme.rawValue),
        Media.Feature(name: "forced-colors", value: areForced ? "active" : "none"),
        Media.Feature(name: "prefers-reduced-motion", value: "reduce"),
      ]))
  }

  /// Runs a script in each page that is opened later, before the scripts of the page.
  package func runInNewPages(_ script: String) async throws(WebDriverError) {
    try await self.chromium("Page.addScriptToEvaluateOnNewDocument", ["source": script])
  }

  /// Delays the first byte of each response, as a slow network does.
  package func delayResponses(bySeconds seconds: Int) async throws(WebDriverError) {
    try await self.chromium(
      "Network.emulateNetworkConditions",
      Network(offline: false, latency: seconds * 1_000, downloadThroughput: -1, uploadThroughput: -1))
  }

  private func chromium(_ command: String, _ parameters: some Encodable) async throws(WebDriverError) {
    try await self.connection.call(.post, self.path("goog/cdp/execute"), Command(cmd: command, params: parameters))
  }

  private struct Command<Parameters: Encodable>: Encodable {
    var cmd: String
    var params: Parameters
  }
  private struct Metrics: Encodable {
    var width: Int
    var height: Int
    var deviceScaleFactor: Int
    var mobile: Bool
  }
  private struct Network: Encodable {
    var offline: Bool
    /// In milliseconds.
    var latency: Int
    // -1 is unlimited.
    var downloadThroughput: Int
    var uploadThroughput: Int
  }
  private struct Media: Encodable {
    struct Feature: Encodable {
      var name: String
      var value: String
    }
    var features: [Feature]
  }
  private struct LogEntry: Decodable { var message: String }
  private struct LogMessage: Decodable { var message: Event }
  private struct Event: Decodable {
    struct Parameters: Decodable {
      // `requestId` and `loaderId` are equal if the request is for the page itself.
      var requestId: String?
      var loaderId: String?
      var documentURL: String?
    }
    var method: String
    var params: Parameters
  }
}
