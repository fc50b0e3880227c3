import ArgumentParser
import Logging
import Sallyport
import SallyportDesktop
import SallyportProtocol
import SallyportServer

/// `sallyportd demo`: signs in to a real server on this machine with the real client.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Start a server, sign a person in through the browser, and show what came back.",
    discussion: """
      The demo opens your browser. At a terminal without a display it prints the address to open. With --headless, or where nobody is
      there, it drives a headless Chromium through the same pages as the demo person and keeps the screenshots.
      """)
  @Option(help: ArgumentHelp("The data directory of the demo server.", valueName: "dir")) var data = "./sallyport-demo"
  @Option(help: "The port of the demo server; a free one where none is given.") var port: Int?
  @Option(help: ArgumentHelp("The browser: a program and its arguments; the address is appended.", valueName: "cmd"))
  var browser: String?
  @Flag(help: "Drive a headless Chromium instead of asking you.") var headless = false
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    let directory = try DataDirectory(path: self.data)
    let way = DemoWay.choose(headless: self.headless, browser: self.browser)
    let port = try self.port ?? FreePort.find()
    guard let issuer = try? Issuer("http://localhost:\(port)") else { throw ValidationError("--port: 1 to 65535") }
    var settings = ServerSettings(issuer: issuer)
    settings.server.name = "Sallyport demo"
    settings.port = port
    settings.logLevel = .error
    let application = try await ServerApplication(directory: directory, settings: settings)
    let person = try await DemoPerson.prepare(in: directory)
    try await DemoClient.register(in: directory.store)

    let timeline = DemoTimeline()
    let result = try await application.serving(observedBy: timeline.observe) { _ in
      try await DemoSignIn(issuer: issuer, way: way, person: person, folder: self.data, timeline: timeline).run()
    }
    if self.json { try Console.print(json: result) } else { result.lines.forEach(Console.print) }
  }
}

/// How the user of the demo signs in.
enum DemoWay: Sendable {
  /// The user's browser opens automatically.
  case browser(command: String?)
  /// The user opens the address.
  case address
  /// A headless browser signs in.
  case headless

  static func choose(headless: Bool, browser: String?) -> DemoWay {
    if headless { return .headless }
    if let browser { return .browser(command: browser) }
    if Surroundings.hasDisplay { return .browser(command: nil) }
    return Console.isTerminal ? .address : .headless
  }
}
