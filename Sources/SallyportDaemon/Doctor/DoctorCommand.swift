import ArgumentParser
import SallyportAsyncHTTPClient
import SallyportProtocol
import SallyportServer

/// `sallyportd doctor`: checks everything that a server depends on, and changes nothing.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look for what is wrong with a server and what it stands on.",
    discussion: """
      Takes what serve takes, and is run as the user that serve runs as, while it runs. Looks at the settings, the clock, files and their modes,
      room on the disk, the database, keys, the TLS certificate, what the issuer's address answers, and registrations that break rules. Changes
      nothing.
      Ends with 0 where nothing is wrong or there are only warnings, 1 where there is a problem, 2 where a setting is wrong.
      """)
  @OptionGroup var options: SettingsOptions
  @Flag(help: "Do not ask the issuer's address: the server does not run yet.") var offline = false
  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    let settings = try self.options.read()
    var findings = SettingsCheckup(settings: settings).findings() + ClockCheckup().findings()
    let files = FilesCheckup(data: settings.data)
    findings += files.findings()
    var keys: [String] = []
    if files.isReadable {
      let database = try await DatabaseCheckup.open(settings)
      findings += database.findings
      keys = database.signingKeys
    }
    if let tls = settings.tls { findings += CertificateCheckup(files: tls, host: settings.server.issuer.host).findings() }
    if !self.offline {
      findings += await AsyncHTTPClientTransport.withTransport { transport in
        await IssuerCheckup(configuration: settings.server, signingKeys: keys, transport: transport).findings()
      }
    }
    if self.json { try Console.print(json: findings) } else { Self.print(findings) }
    if findings.contains(where: { $0.level == .problem }) { throw ExitCode(1) }
  }

  private static func print(_ findings: [Finding]) {
    for finding in findings { Console.print("\(finding.level.rawValue)\t\(finding.about)\t\(finding.text)") }
  }
}
