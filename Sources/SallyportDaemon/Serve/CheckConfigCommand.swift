import ArgumentParser
import SallyportPostgres
import SallyportServer

/// `sallyportd check-config`: checks the settings of `serve` without starting the server.
struct CheckConfig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-config",
    abstract: "Check the settings of 'serve' and report all mistakes at once.",
    discussion: """
      Accepts the options of 'serve'. Flags take precedence over environment variables (SALLYPORTD_LISTEN_PORT for listen.port), and
      environment variables over the file. The files of the certificate are checked too. Use 'sallyportd doctor' to check the data and the
      running server.
      The exit code is 0 if all settings are valid, and 2 if a setting or a file that it names is invalid.
      """)
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let settings = try self.options.read(loadingCertificate: true)
    let database =
      settings.database.map { address in
        address.hosts.isEmpty ? "in PostgreSQL" : "in PostgreSQL at \(address.hosts.joined(separator: ", "))"
      } ?? "\(settings.data)/\(DataFiles.database)"
    Console.print(
      "\(settings.server.issuer) at \(settings.host):\(settings.port), data in \(settings.data), database \(database)")
  }
}
