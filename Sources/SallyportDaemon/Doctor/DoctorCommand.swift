import ArgumentParser
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportServer

/// `sallyportd doctor`: checks a server and what it depends on, and changes nothing.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check a server and everything that it depends on.",
    discussion: """
      Accepts the options of 'serve'. Run it as the same user as 'serve', while the server runs. It checks the settings, the clock, the files
      and their permissions, the free disk space, the database, the keys, the TLS certificate, the response at the issuer's address, the
      registrations, and the providers through which users can sign in. It changes nothing.
      The exit code is 0 if there are no problems (warnings are possible), 1 if there is a problem, and 2 if a setting is invalid.
      """)
  @OptionGroup var options: SettingsOptions
  @Flag(help: "Do not send requests to the issuer's address or to other providers.") var offline = false
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    let settings = try self.options.read()
    var findings = SettingsCheckup(settings: settings).findings() + ClockCheckup().findings() + QRCodeCheckup().findings()
    var keys: [String] = []
    var upstreams: [UpstreamRecord] = []
    if let database = try await Self.databaseCheckup(settings, &findings) {
      findings += database.findings
      keys = database.signingKeys
      upstreams = database.upstreams
    }
    if let tls = settings.tls { findings += CertificateCheckup(files: tls, host: settings.server.issuer.host).findings() }
    if !self.offline {
      findings += await AsyncHTTPClientTransport.withTransport { [keys, upstreams] transport in
        await IssuerCheckup(configuration: settings.server, signingKeys: keys, transport: transport).findings()
          + UpstreamCheckup(upstreams: upstreams, transport: transport).findings()
      }
    }
    if self.json { try Console.print(json: findings) } else { Self.print(findings) }
    if findings.contains(where: { $0.level == .problem }) { throw ExitCode(1) }
  }

  /// Checks the PostgreSQL database that the settings name, or else the SQLite database and its files. The findings
  /// about the files are appended to `findings`.
  /// - Returns: Nil if the files have a problem that makes it impossible to check the database.
  private static func databaseCheckup(
    _ settings: ServerSettings, _ findings: inout [Finding]
  ) async throws -> DatabaseCheckup? {
    if let address = settings.database { return try await DatabaseCheckup.run(settings, address) }
    let files = FilesCheckup(data: settings.data)
    findings += files.findings()
    return files.canCheckDatabase ? try await DatabaseCheckup.run(settings) : nil
  }

  private static func print(_ findings: [Finding]) {
    for finding in findings { Console.print("\(finding.level.rawValue)\t\(finding.about)\t\(finding.text)") }
  }
}
