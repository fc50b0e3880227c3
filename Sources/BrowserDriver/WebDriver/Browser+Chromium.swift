import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Functions that only Chromium's driver provides.
extension Browser {
  /// The URLs that the window navigated to since the last call, including redirects to apps and to unreachable hosts.
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
    try await self.chromium(
      "Emulation.setDeviceMetricsOverride",
      Metrics(width: options.width, height: options.height, deviceScaleFactor: 1, mobile: false))
    try await self.chromium(
      "Emulation.setEmulatedMedia",
      Media(features: [Media.Feature(name: "prefers-color-scheme", value: options.colorScheme.rawValue)]))
    if !options.scripting { try await self.chromium("Emulation.setScriptExecutionDisabled", ["value": true]) }
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
      // These two are equal if the request is for the page itself.
      var requestId: String?
      var loaderId: String?
      var documentURL: String?
    }
    var method: String
    var params: Parameters
  }
}
