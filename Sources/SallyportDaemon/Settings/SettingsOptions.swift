import ArgumentParser
import FoundationEssentials

/// The flags for settings, and the settings file. The values are strings, because the values of all sources are later
/// parsed by the same code.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A settings file in YAML.", valueName: "file")) var config: String?
  @Option(
    help: ArgumentHelp(
      "The data directory, which contains the database and the key file. (default: ./sallyport-data)", valueName: "dir"))
  var data: String?
  @Option(help: DataOptions.databaseHelp) var database: String?
  @Option(help: "The issuer, which is the public URL of the server and cannot change later. (default: http://localhost:PORT)")
  var issuer: String?
  @Option(help: "The address to listen on. (default: 127.0.0.1)") var host: String?
  @Option(help: "The port to listen on. (default: 8080)") var port: String?
  @Option(help: "The name of the server that users see on the pages. (default: the host of the issuer)") var name: String?
  @Option(help: ArgumentHelp("The certificate chain in PEM format, for a server that terminates TLS itself.", valueName: "file"))
  var tlsCertificate: String?
  @Option(help: ArgumentHelp("The private key of the certificate.", valueName: "file")) var tlsKey: String?
  @Flag(help: "Accept any port in your own clients' redirect URIs on localhost, as on 127.0.0.1 and [::1].")
  var anyLocalhostPort = false
  @Option(
    help: """
      Whether apps can register themselves: open (all apps), token (only with a token from 'client token'), or off. (default: off, or \
      open for an http issuer)
      """)
  var registration: String?
  @Option(help: "The scopes that apps can request if they registered themselves. (default: openid profile email offline_access)")
  var registrationScope: String?
  @Flag(inversion: .prefixedNo, help: "Accept the https URL of an app's metadata document as its client ID. (default: yes)")
  var clientDocuments: Bool?
  @Option(help: "The log level: trace, debug, info, notice, warning, error, or critical. (default: notice)") var logLevel: String?

  /// Reads and checks all settings. Flags take precedence over the environment, and the environment over the file.
  func read(loadingCertificate: Bool = false) throws(SettingsMistakes) -> ServerSettings {
    try ServerSettings(self.sources(), loadingCertificate: loadingCertificate)
  }

  /// The sources of settings, in the order of their precedence.
  func sources(environment: [String: String] = ProcessInfo.processInfo.environment) -> [SettingSource] {
    var sources = [SettingSource(flags: self.flags), SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    return sources
  }

  private var flags: [Setting: (name: String, values: [String])] {
    let all: [(Setting, String, String?)] = [
      (.data, "--data", self.data), (.database, "--database", self.database), (.issuer, "--issuer", self.issuer),
      (.listenHost, "--host", self.host),
      (.listenPort, "--port", self.port), (.name, "--name", self.name),
      (.tlsCertificate, "--tls-certificate", self.tlsCertificate),
      (.tlsKey, "--tls-key", self.tlsKey), (.anyLocalhostPort, "--any-localhost-port", self.anyLocalhostPort ? "true" : nil),
      (.registrationMode, "--registration", self.registration),
      (.registrationScope, "--registration-scope", self.registrationScope),
      (.registrationDocuments, "--client-documents", self.clientDocuments.map(String.init)),
      (.logLevel, "--log-level", self.logLevel),
    ]
    return all.reduce(into: [:]) { given, entry in
      let (setting, flag, value) = entry
      if let value { given[setting] = (flag, [value]) }
    }
  }
}
