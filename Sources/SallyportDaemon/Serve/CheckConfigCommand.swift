import ArgumentParser
import SallyportServer

/// `sallyportd check-config`: tells what `serve` would do with the same settings, and starts nothing.
struct CheckConfig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the settings of serve, and tell every mistake at once.",
    discussion: """
      Takes what serve takes. Flags win over environment variables (SALLYPORTD_LISTEN_PORT for listen.port), and those over the file.
      Ends with 0 where serve could start, 2 where a setting is wrong.
      """)
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let settings = try self.options.read()
    _ = try settings.tls?.load()
    Console.print("\(settings.server.issuer) at \(settings.host):\(settings.port), data in \(settings.data)")
  }
}
