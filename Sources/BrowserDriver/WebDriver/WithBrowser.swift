import HTTPTypes
import SallyportAsyncHTTPClient

/// Starts a headless browser with an empty profile, passes it to `body`, and ends it afterward.
///
/// The browser, its driver, and their child processes are in one process group, which is killed at the end.
/// - Throws: ``WebDriverError``, ``SpawnError``, ``DeadlineError``, `CancellationError`, `CocoaError` if the temporary
///   folder cannot be created, or the error that `body` throws.
package func withBrowser<R>(
  _ options: BrowserOptions = BrowserOptions(), isolation: isolated (any Actor)? = #isolation,
  _ body: (Browser) async throws -> R
) async throws -> R {
  try await withTemporaryFolder { folder in
    let (driver, port) = try await startDriver(options.driver, folder: folder)
    defer { driver.end() }
    return try await AsyncHTTPClientTransport.withTransport { transport in
      let connection = DriverConnection(port: port, transport: transport)
      let browser = try await newSession(options, connection: connection, profile: "\(folder)/profile")
      do {
        let result = try await body(browser)
        try? await connection.call(.delete, "/session/\(browser.session)")
        return result
      } catch {
        try? await connection.call(.delete, "/session/\(browser.session)")
        throw error
      }
    }
  }
}

/// Starts the driver, and waits until it listens.
///
/// The driver chooses a port that is unused for IPv6, and ends if another program uses the port for IPv4. It is then
/// started again, up to four times.
private func startDriver(_ program: String, folder: String) async throws -> (ChildProcess, port: UInt16) {
  var attempts = 1
  while true {
    let driver = try ChildProcess(ChildCommand(program, ["--port=0"]), folder: folder)
    do {
      return (driver, try await driverPort(of: driver))
    } catch WebDriverError.driverDidNotStart(let output) where output.contains("port not available") && attempts < 5 {
      driver.end()
      attempts += 1
    } catch {
      driver.end()
      throw error
    }
  }
}

/// Waits for the driver to report the port that it listens on.
private func driverPort(of driver: ChildProcess) async throws -> UInt16 {
  try await eventually("the browser driver to report its port") {
    if let port = driver.output.firstMatch(of: #/started successfully on port (\d+)/#).flatMap({ UInt16($0.1) }) {
      return port
    }
    guard driver.exitStatus == nil else {
      throw WebDriverError.driverDidNotStart(output: driver.output + driver.errorOutput)
    }
    return nil
  }
}

private func newSession(
  _ options: BrowserOptions, connection: DriverConnection, profile: String
) async throws(WebDriverError) -> Browser {
  let chrome = ChromeOptions(args: options.arguments(profile: profile), binary: options.browser)
  let capabilities = NewSession(
    capabilities: .init(alwaysMatch: .init(chromeOptions: chrome, loggingPreferences: ["performance": "ALL"])))
  let session = try await connection.call(.post, "/session", capabilities, as: Session.self)
  let browser = Browser(connection: connection, session: session.sessionId)
  try await browser.emulate(options)
  return browser
}

private struct Session: Decodable { var sessionId: String }

private struct ChromeOptions: Encodable {
  var args: [String]
  var binary: String?
}

private struct NewSession: Encodable {
  struct Capabilities: Encodable {
    struct AlwaysMatch: Encodable {
      var chromeOptions: ChromeOptions
      var loggingPreferences: [String: String]

      private enum CodingKeys: String, CodingKey {
        case chromeOptions = "goog:chromeOptions"
        case loggingPreferences = "goog:loggingPrefs"
      }
    }
    var alwaysMatch: AlwaysMatch
  }
  var capabilities: Capabilities
}
