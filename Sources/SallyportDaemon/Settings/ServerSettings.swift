import Logging
import SallyportHTTP
import SallyportHTTPServer
import SallyportLanguages
import SallyportPostgres
import SallyportProtocol
import SallyportServer

/// The settings of `sallyportd serve`.
struct ServerSettings: Sendable {
  /// The path of the data directory.
  var data = "./sallyport-data"
  /// The address of the PostgreSQL database; nil for a SQLite database in the data directory.
  var database: PostgresAddress?
  /// The host name or IP address to listen on.
  var host = "127.0.0.1"
  var port = 8080
  var server: ServerConfiguration
  var tls: CertificateFiles?
  var connections = ConnectionLimits()
  /// The number of 429 responses and error pages per second that a client address receives without delay; 0 for no
  /// limit.
  var failuresPerSecond = 20
  /// Whether registration by apps is off because no setting specifies its mode. The log then names the setting.
  var isRegistrationOffByDefault = false
  /// The addresses of trusted reverse proxies.
  var proxies: [AddressRange] = []
  /// The number of passwords that are hashed at the same time. Nil uses half of the processors.
  var hashingThreads: Int?
  /// The maximum number of passwords that wait for a hashing thread.
  var hashingWaiting = 64
  /// The program that sends mail, and its arguments.
  var mailCommand = ["/usr/sbin/sendmail", "-t", "-i"]
  var branding = Branding()
  var logLevel = Logger.Level.notice
  var monitoring = MonitoringSettings()
  var shutdown = ShutdownSettings()
  var logFormat = LogFormat.text

  /// Creates the default settings.
  init(issuer: Issuer) {
    self.server = ServerConfiguration(issuer: issuer)
  }

  /// Reads all settings.
  /// - Parameters:
  ///   - sources: The sources, in the order of their precedence.
  ///   - loadingCertificate: Whether to check the files of the certificate too.
  /// - Throws: An error that lists all mistakes.
  init(_ sources: [SettingSource], loadingCertificate: Bool = false) throws(SettingsMistakes) {
    var reader = SettingsReader(sources)
    let port = reader.readNumber(.listenPort, 0...65_535) ?? 8080
    let configuredIssuer = Self.issuer(&reader, port: port)
    // Even with an invalid issuer, the other settings are read, so that all mistakes are reported.
    guard let issuer = configuredIssuer ?? (try? Issuer("http://localhost")) else {
      throw SettingsMistakes(list: reader.mistakes)
    }
    self.init(issuer: issuer)
    self.port = port
    self.data = reader.read(.data, "a directory path") { $0.isEmpty ? nil : $0 } ?? self.data
    self.database = reader.readDatabase()
    self.readListening(&reader, issuer: configuredIssuer)
    self.readCertificate(&reader, issuer: configuredIssuer, checkingFiles: loadingCertificate)
    self.readServer(&reader, hasValidIssuer: configuredIssuer != nil)
    self.readRegistration(&reader)
    self.server.mail = reader.readMail()
    self.server.signUp = reader.readSignUp()
    self.server.signUpsPerHour = reader.readNumber(.signUpsPerHour, 1...100_000) ?? self.server.signUpsPerHour
    self.branding = reader.readBranding()
    self.mailCommand = reader.readMailCommand() ?? self.mailCommand
    self.server.lifetimes.read(&reader)
    self.hashingThreads = reader.readNumber(.hashingThreads, 1...256)
    self.hashingWaiting = reader.readNumber(.hashingWaiting, 1...10_000) ?? self.hashingWaiting
    let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
    self.logLevel = reader.read(.logLevel, "one of \(levels)") { Logger.Level(rawValue: $0) } ?? self.logLevel
    self.monitoring.read(&reader, listening: (self.host, self.port))
    self.shutdown.read(&reader)
    self.logFormat = reader.read(.logFormat, "text or json") { LogFormat(rawValue: $0) } ?? self.logFormat
    self.server.auditRetention = reader.readTime(.auditRetention, from: "1d", to: "3650d") ?? self.server.auditRetention
    guard reader.mistakes.isEmpty else { throw SettingsMistakes(list: reader.mistakes) }
  }

  /// Reads the issuer. The default is `http://localhost` with the given port. Returns nil after it has reported a
  /// mistake.
  private static func issuer(_ reader: inout SettingsReader, port: Int) -> Issuer? {
    if reader.given(.issuer) == nil, port == 0 {
      reader.report(.listenPort, "is 0 (any unused port), which requires an issuer")
      return nil
    }
    guard reader.given(.issuer) != nil else { return try? Issuer("http://localhost:\(port)") }
    return self.readIssuer(&reader)
  }

  /// The issuer in the settings; nil if there is none, or if it is invalid. Its origin must be spelled as browsers send
  /// it in `Origin` (RFC 6454 §6.2), because forms are accepted only with this origin. An issuer with another spelling
  /// is reported as a mistake, but still returned.
  static func readIssuer(_ reader: inout SettingsReader) -> Issuer? {
    let issuer = reader.read(
      .issuer, "an https URL (or an http URL with the host localhost, 127.0.0.1, or [::1]) without a query or fragment"
    ) {
      try? Issuer($0)
    }
    guard let issuer else { return nil }
    if issuer.origin != issuer.origin.lowercased() || issuer.origin.hasSuffix(issuer.isHTTPS ? ":443" : ":80") {
      reader.report(.issuer, "must have a host in lowercase and no default port (\(issuer))")
    }
    return issuer
  }

  private mutating func readListening(_ reader: inout SettingsReader, issuer: Issuer?) {
    self.host = reader.read(.listenHost, "a host name or an IP address") { $0.isEmpty ? nil : $0 } ?? self.host
    // RFC 6749 §3.1 requires TLS, so a server with an http issuer accepts connections only from this machine.
    if issuer?.isHTTPS == false, !["127.0.0.1", "::1", "localhost"].contains(self.host) {
      reader.report(.listenHost, "must be 127.0.0.1, ::1, or localhost if the issuer is http, not \"\(self.host)\"")
    }
    self.connections.maximum = reader.readNumber(.connectionsLimit, 1...1_000_000) ?? self.connections.maximum
    self.connections.perAddress = reader.readNumber(.connectionsPerAddress, 1...1_000_000)
    self.connections.bodyRate = reader.readNumber(.connectionsBodyRate, 0...1_000_000) ?? self.connections.bodyRate
    self.failuresPerSecond = reader.readNumber(.failuresPerSecond, 0...1_000_000) ?? self.failuresPerSecond
    self.connections.idle = reader.readTime(.connectionsIdle, from: "1s", to: "1h") ?? self.connections.idle
    self.connections.request = reader.readTime(.connectionsRequest, from: "1s", to: "10m") ?? self.connections.request
    self.proxies =
      reader.readList(.proxies, "a list of IP addresses or ranges such as 10.0.0.0/8 and 2001:db8::/32") { AddressRange($0) }
      ?? self.proxies
  }

  private mutating func readCertificate(_ reader: inout SettingsReader, issuer: Issuer?, checkingFiles: Bool) {
    let certificate = reader.read(.tlsCertificate, "a file path") { $0.isEmpty ? nil : $0 }
    let key = reader.read(.tlsKey, "a file path") { $0.isEmpty ? nil : $0 }
    switch (certificate, key) {
    case (nil, nil): break
    case (_, nil): reader.report(.tlsCertificate, "requires \(Setting.tlsKey.rawValue)")
    case (nil, _): reader.report(.tlsKey, "requires \(Setting.tlsCertificate.rawValue)")
    case (.some(let certificate), .some(let key)):
      let files = CertificateFiles(certificate: certificate, key: key)
      self.tls = files
      if issuer?.isHTTPS == false { reader.report(.tlsCertificate, "requires an https issuer") }
      if checkingFiles { for mistake in files.mistakes() { reader.add(mistake) } }
    }
  }

  private mutating func readServer(_ reader: inout SettingsReader, hasValidIssuer: Bool) {
    self.server.name = reader.read(.name, "a name") { $0.isEmpty ? nil : $0 } ?? self.server.name
    let languages = Language.allCases.map(\.tag).joined(separator: ", ")
    self.server.language = reader.read(.language, "one of \(languages)") { Language(rawValue: $0) } ?? self.server.language
    self.server.allowsAnyLocalhostPort = reader.readBool(.anyLocalhostPort) ?? self.server.allowsAnyLocalhostPort
    self.server.requestsPerMinute = reader.readNumber(.requestsPerMinute, 1...1_000_000) ?? self.server.requestsPerMinute
    self.server.signIn.perAccount = reader.readNumber(.signInPerAccount, 10...1_000) ?? self.server.signIn.perAccount
    self.server.signIn.perAddress = reader.readNumber(.signInPerAddress, 20...1_000_000) ?? self.server.signIn.perAddress
    self.server.passkeys = reader.readPasskeys(for: self.server, hasValidIssuer: hasValidIssuer)
    self.server.accessTokenAlgorithm =
      reader.read(.accessTokenAlgorithm, "ES256 or RS256", AccessTokenAlgorithm.init) ?? self.server.accessTokenAlgorithm
    self.server.webViews = reader.read(.webViews, "block, warn, or off", WebViewPolicy.init) ?? self.server.webViews
    self.server.requiredContexts = reader.readRequiredContexts(for: self.server)
    self.server.allowsAccountDeletion =
      reader.read(.accountDeletion, "off or allowed") { ["off": false, "allowed": true][$0] } ?? self.server.allowsAccountDeletion
    self.server.resources =
      reader.readList(.resources, "a list of https URIs without a fragment (RFC 8707 §2)") {
        ResourceIndicators.isValid($0) ? $0 : nil
      } ?? self.server.resources
  }

  private mutating func readRegistration(_ reader: inout SettingsReader) {
    var policy = self.server.registration
    self.isRegistrationOffByDefault = policy.mode == .off && reader.given(.registrationMode) == nil
    policy.mode = reader.read(.registrationMode, "off, token, or open", RegistrationPolicy.Mode.init) ?? policy.mode
    policy.scope =
      reader.read(.registrationScope, "a list of scope names separated by spaces") { text in
        Scope(text).flatMap { $0.isEmpty ? nil : $0 }
      } ?? policy.scope
    policy.acceptsDocuments = reader.readBool(.registrationDocuments) ?? policy.acceptsDocuments
    policy.documentHosts = reader.readDocumentHosts() ?? policy.documentHosts
    policy.schemes = reader.readSchemes() ?? policy.schemes
    policy.allowsDeviceGrant = reader.readBool(.registrationDevice) ?? policy.allowsDeviceGrant
    policy.perMinute = reader.readNumber(.registrationPerMinute, 1...1_000_000) ?? policy.perMinute
    policy.maximumClients = reader.readNumber(.registrationLimit, 1...10_000_000) ?? policy.maximumClients
    policy.unusedLifetime = reader.readTime(.registrationUnused, from: "1h", to: "365d") ?? policy.unusedLifetime
    self.server.registration = policy
  }
}

extension Lifetimes {
  mutating func read(_ reader: inout SettingsReader) {
    // RFC 6749 §4.1.2 recommends a lifetime of at most ten minutes.
    self.authorizationCode = reader.readTime(.codeLifetime, from: "5s", to: "10m") ?? self.authorizationCode
    self.accessToken = reader.readTime(.accessTokenLifetime, from: "30s", to: "1d") ?? self.accessToken
    self.idToken = reader.readTime(.idTokenLifetime, from: "30s", to: "1d") ?? self.idToken
    self.refreshTokenIdle = reader.readTime(.refreshTokenIdle, from: "10m", to: "3650d") ?? self.refreshTokenIdle
    self.grant = reader.readTime(.grantLifetime, from: "10m", to: "3650d") ?? self.grant
    self.reuseInterval = reader.readTime(.reuseInterval, from: "0s", to: "10m") ?? self.reuseInterval
    self.interaction = reader.readTime(.interactionLifetime, from: "1m", to: "1d") ?? self.interaction
    self.pushedRequest = reader.readTime(.pushedRequestLifetime, from: "5s", to: "1h") ?? self.pushedRequest
    self.deviceCode = reader.readTime(.deviceCodeLifetime, from: "1m", to: "1h") ?? self.deviceCode
    self.browserSessionIdle = reader.readTime(.sessionIdle, from: "1m", to: "3650d") ?? self.browserSessionIdle
    self.browserSession = reader.readTime(.sessionLifetime, from: "1m", to: "3650d") ?? self.browserSession
  }
}

/// The mistakes in the settings, one line each.
struct SettingsMistakes: Error, Equatable {
  let list: [String]
}
