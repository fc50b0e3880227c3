import ArgumentParser
import SallyportServer

/// `sallyportd check-config`: tells what `serve` would do with the same settings, and starts nothing.
struct CheckConfig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the settings of serve, and tell every mistake at once.",
    discussion: """
      Takes what serve takes. Flags win over environment variables (SALLYPORTD_LISTEN_PORT for listen.port), and those over the file. The
      files of the certificate are read too; what the server stands on beside its settings is for `sallyportd doctor`.
      Ends with 0 where nothing is wrong, 2 where a setting or a file that one names is.
      """)
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let settings = try self.options.read(loadingCertificate: true)
    Console.print("\(settings.server.issuer) at \(settings.host):\(settings.port), data in \(settings.data)")
  }
}
