import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The flags of settings, and the file. They are texts here: all sources are read by the same rules, together.
struct SettingsOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A file of settings in YAML.", valueName: "file")) var config: String?
  @Option(help: ArgumentHelp("The data directory: the database and the key file. (default: ./sallyport-data)", valueName: "dir"))
  var data: String?
  @Option(help: "The issuer; http://localhost:PORT where none is given.") var issuer: String?
  @Option(help: "The address to listen on. (default: 127.0.0.1)") var host: String?
  @Option(help: "The port to listen on. (default: 8080)") var port: String?
  @Option(help: "The name that people see on the pages.") var name: String?
  @Option(help: ArgumentHelp("The server's certificate chain in PEM, to speak TLS itself.", valueName: "file"))
  var tlsCertificate: String?
  @Option(help: ArgumentHelp("The private key of the certificate.", valueName: "file")) var tlsKey: String?
  @Flag(help: "Let redirect URIs on localhost of your own clients match on any port, as those on 127.0.0.1 and [::1] do.")
  var anyLocalhostPort = false
  @Option(
    help: """
      Who may register an app without an operator: open (everybody), token (with a token of `client token`), or off. (default: off; open \
      for an http issuer)
      """)
  var registration: String?
  @Option(help: "The most that an app which registered itself may ask for. (default: openid profile email offline_access)")
  var registrationScope: String?
  @Flag(inversion: .prefixedNo, help: "Let an app be known by the https URL of its metadata document. (default: yes)")
  var clientDocuments: Bool?
  @Option(help: "trace, debug, info, notice, warning, error or critical. (default: notice)") var logLevel: String?

  /// All settings, checked: flags win over the environment, and that over the file.
  func read(loadingCertificate: Bool = false) throws(SettingsMistakes) -> ServerSettings {
    try ServerSettings(self.sources(), loadingCertificate: loadingCertificate)
  }

  /// The places where settings stand, the strongest first.
  func sources(environment: [String: String] = ProcessInfo.processInfo.environment) -> [SettingSource] {
    var sources = [SettingSource(flags: self.flags), SettingSource(environment: environment)]
    if let config = self.config { sources.append(SettingSource(contentsOf: config)) }
    return sources
  }

  private var flags: [Setting: (name: String, values: [String])] {
    let all: [(Setting, String, String?)] = [
      (.data, "--data", self.data), (.issuer, "--issuer", self.issuer), (.listenHost, "--host", self.host),
      (.listenPort, "--port", self.port), (.name, "--name", self.name),
      (.tlsCertificate, "--tls-certificate", self.tlsCertificate),
      (.tlsKey, "--tls-key", self.tlsKey), (.anyLocalhostPort, "--any-localhost-port", self.anyLocalhostPort ? "true" : nil),
      (.registrationMode, "--registration", self.registration),
      (.registrationScope, "--registration-scope", self.registrationScope),
      (.registrationDocuments, "--client-documents", self.clientDocuments.map(String.init)),
      (.logLevel, "--log-level", self.logLevel),
    ]
    return all.reduce(into: [:]) { flags, flag in
      if let value = flag.2 { flags[flag.0] = (flag.1, [value]) }
    }
  }
}
