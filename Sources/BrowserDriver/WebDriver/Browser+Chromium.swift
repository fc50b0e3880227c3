import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What only Chromium's driver offers.
extension Browser {
  /// The addresses that the window was sent to since this was asked last, redirects to apps and to hosts that do not answer included.
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

  /// Sizes the page itself, whatever the window's frame takes, and sets what the person prefers.
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
      // The two are the same where the request is for the page itself.
      var requestId: String?
      var loaderId: String?
      var documentURL: String?
    }
    var method: String
    var params: Parameters
  }
}
