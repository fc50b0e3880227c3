import ArgumentParser
import BrowserDriver
import SallyportDesktop
import SallyportSystem

/// `sallyport-demo`: signs a user in to a real server on this machine with the real client.
@main
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sallyport-demo",
    abstract: "Start a server, sign a user in through the browser, and show the result.",
    discussion: """
      The demo starts the 'sallyportd' program from the folder of 'sallyport-demo' and opens your browser. In a terminal without a display, it prints the \
      URL to open. With --headless, or with neither a terminal nor a display, headless Chromium adds a passkey to the demo user's account \
      and signs in with it, and the demo saves screenshots of the pages.
      """)
  @Option(help: ArgumentHelp("The data directory of the demo server.", valueName: "dir")) var data = "./sallyport-demo"
  @Option(help: "The port of the demo server. By default, an unused port.") var port: UInt16?
  @Option(help: ArgumentHelp("The browser: a program and its arguments. The URL is appended.", valueName: "cmd"))
  var browser: String?
  @Flag(help: "Use headless Chromium instead of your browser.") var headless = false
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard self.port != 0 else { throw ValidationError("--port must be from 1 to 65535") }
  }

  func run() async throws {
    let method = DemoMethod.choose(headless: self.headless, browser: self.browser)
    let server = DemoServer(dataDirectory: self.data, port: try self.port ?? freePort())
    // The demo must end the server and a headless browser, so no signal ends the demo immediately.
    let result = try await Interrupts.canceling(exitingWith: nil) {
      try await withTemporaryFolder { folder in
        // A new headless browser does not have the passkeys of a user that an earlier run added.
        let user = try await server.prepare(folder: folder, replacesUser: method.isHeadless)
        return try await server.withRunningServer(folder: folder) { process in
          try await DemoSignIn(server: server, process: process, method: method, user: user).run()
        }
      }
    }
    if self.json { try Output.result(json: result) } else { result.lines.forEach(Output.result) }
  }
}

/// How the user of the demo signs in.
enum DemoMethod: Sendable {
  /// The user's browser opens automatically.
  case browser(command: String?)
  /// The user opens the printed URL.
  case printedURL
  /// A headless browser signs in.
  case headless

  var isHeadless: Bool { if case .headless = self { true } else { false } }

  /// - Parameters:
  ///   - headless: Whether `--headless` was specified.
  ///   - browser: The value of `--browser`, if any.
  static func choose(headless: Bool, browser: String?) -> DemoMethod {
    if headless { return .headless }
    if let browser { return .browser(command: browser) }
    let environment = SignInEnvironment.current
    if environment.hasDisplay { return .browser(command: nil) }
    return environment.hasTerminal ? .printedURL : .headless
  }
}
