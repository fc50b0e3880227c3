import Logging
import SallyportHTTP
import SallyportProtocol
import SallyportServer

/// What `sallyportd serve` was told, checked as a whole.
struct ServerSettings: Sendable {
  var data = "./sallyport-data"
  var host = "127.0.0.1"
  var port = 8080
  var server: ServerConfiguration
  var tls: CertificateFiles?
  var connections = ConnectionLimits()
  /// The number of 429 responses and error pages per second that an address receives without delay; 0 for any.
  var failuresPerSecond = 20
  /// Whether apps cannot register themselves, and the operator has not said so.
  var closesRegistration = false
  /// In front of the server, and named by the operator.
  var proxies: [AddressRange] = []
  /// Passwords hashed at once; nil for half of the processors.
  var hashingThreads: Int?
  /// Sign-ins that may wait for a hashing thread.
  var hashingWaiting = 64
  var logLevel = Logger.Level.notice
  var monitoring = MonitoringSettings()
  var logFormat = LogFormat.text
  /// How long a record of the audit trail is kept: a year, and the same month of the year before to compare.
  var auditKeep: Duration = .seconds(400 * 86_400)

  /// - Parameter issuer: for a server that is told nothing else.
  init(issuer: Issuer) {
    self.server = ServerConfiguration(issuer: issuer)
  }

  /// Reads all settings.
  /// - Parameters:
  ///   - sources: the strongest first.
  ///   - loadingCertificate: whether its files are looked at too, as the server will.
  /// - Throws: every mistake at once.
  init(_ sources: [SettingSource], loadingCertificate: Bool = false) throws(SettingsMistakes) {
    var reader = SettingsReader(sources)
    let port = reader.readNumber(.listenPort, 0...65_535) ?? 8080
    let said = Self.issuer(&reader, port: port)
    // Where the issuer is wrong the rest is read all the same, for its mistakes.
    guard let issuer = said ?? (try? Issuer("http://localhost")) else { throw SettingsMistakes(list: reader.mistakes) }
    self.init(issuer: issuer)
    self.port = port
    self.data = reader.read(.data, "a directory is due") { $0.isEmpty ? nil : $0 } ?? self.data
    self.readListening(&reader, issuer: said)
    self.readCertificate(&reader, issuer: said, isLoaded: loadingCertificate)
    self.readServer(&reader)
    self.readRegistration(&reader)
    self.server.lifetimes.read(&reader)
    self.hashingThreads = reader.readNumber(.hashingThreads, 1...256)
    self.hashingWaiting = reader.readNumber(.hashingWaiting, 1...10_000) ?? self.hashingWaiting
    let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
    self.logLevel = reader.read(.logLevel, "one of \(levels) is due") { Logger.Level(rawValue: $0) } ?? self.logLevel
    self.monitoring.read(&reader, listening: (self.host, self.port))
    self.logFormat = reader.read(.logFormat, "text or json is due") { LogFormat(rawValue: $0) } ?? self.logFormat
    self.auditKeep = reader.readTime(.auditKeep, from: "1d", to: "3650d") ?? self.auditKeep
    guard reader.mistakes.isEmpty else { throw SettingsMistakes(list: reader.mistakes) }
  }

  /// Our own forms are known by the browser's `Origin`, which has this one spelling (RFC 6454 §6.2).
  private static func issuer(_ reader: inout SettingsReader, port: Int) -> Issuer? {
    if reader.given(.issuer) == nil, port == 0 {
      reader.refuse(.listenPort, "any free port needs an issuer")
      return nil
    }
    guard reader.given(.issuer) != nil else { return try? Issuer("http://localhost:\(port)") }
    let issuer = reader.read(.issuer, "an https URL without query is due, or http on localhost, 127.0.0.1 or [::1]") {
      try? Issuer($0)
    }
    guard let issuer else { return nil }
    if issuer.origin != issuer.origin.lowercased() || issuer.origin.hasSuffix(issuer.isHTTPS ? ":443" : ":80") {
      reader.refuse(.issuer, "the host is written in lower case, and no port where it is the default one")
    }
    return issuer
  }

  private mutating func readListening(_ reader: inout SettingsReader, issuer: Issuer?) {
    self.host = reader.read(.listenHost, "an address is due") { $0.isEmpty ? nil : $0 } ?? self.host
    // RFC 6749 §3.1: without TLS only where nothing leaves the machine, by name and by socket.
    if issuer?.isHTTPS == false, !["127.0.0.1", "::1", "localhost"].contains(self.host) {
      reader.refuse(.listenHost, "an http issuer is served on loopback only")
    }
    self.connections.maximum = reader.readNumber(.connectionsLimit, 1...1_000_000) ?? self.connections.maximum
    self.connections.perAddress = reader.readNumber(.connectionsPerAddress, 1...1_000_000)
    self.connections.bodyRate = reader.readNumber(.connectionsBodyRate, 0...1_000_000) ?? self.connections.bodyRate
    self.failuresPerSecond = reader.readNumber(.failuresPerSecond, 0...1_000_000) ?? self.failuresPerSecond
    self.connections.idle = reader.readTime(.connectionsIdle, from: "1s", to: "1h") ?? self.connections.idle
    self.connections.request = reader.readTime(.connectionsRequest, from: "1s", to: "10m") ?? self.connections.request
    self.proxies =
      reader.readList(.proxies, "addresses are due, or ranges such as 10.0.0.0/8 and 2001:db8::/32") { AddressRange($0) }
      ?? self.proxies
  }

  private mutating func readCertificate(_ reader: inout SettingsReader, issuer: Issuer?, isLoaded: Bool) {
    let certificate = reader.read(.tlsCertificate, "a file is due") { $0.isEmpty ? nil : $0 }
    let key = reader.read(.tlsKey, "a file is due") { $0.isEmpty ? nil : $0 }
    switch (certificate, key) {
    case (nil, nil): break
    case (_, nil): reader.refuse(.tlsCertificate, "needs \(Setting.tlsKey.rawValue) beside it")
    case (nil, _): reader.refuse(.tlsKey, "needs \(Setting.tlsCertificate.rawValue) beside it")
    case (.some(let certificate), .some(let key)):
      let files = CertificateFiles(certificate: certificate, key: key)
      self.tls = files
      if issuer?.isHTTPS == false { reader.refuse(.tlsCertificate, "an issuer that is http has no TLS") }
      if isLoaded { for mistake in files.mistakes() { reader.note(mistake) } }
    }
  }

  private mutating func readServer(_ reader: inout SettingsReader) {
    self.server.name = reader.read(.name, "a text is due") { $0.isEmpty ? nil : $0 } ?? self.server.name
    self.server.allowsAnyLocalhostPort = reader.readSwitch(.anyLocalhostPort) ?? self.server.allowsAnyLocalhostPort
    self.server.requestsPerMinute = reader.readNumber(.requestsPerMinute, 1...1_000_000) ?? self.server.requestsPerMinute
    self.server.signIn.perAccount = reader.readNumber(.signInPerAccount, 10...1_000) ?? self.server.signIn.perAccount
    self.server.signIn.perAddress = reader.readNumber(.signInPerAddress, 20...1_000_000) ?? self.server.signIn.perAddress
    self.server.resources =
      reader.readList(.resources, "https URIs without a fragment are due (RFC 8707 §2)") {
        ResourceIndicators.isValid($0) ? $0 : nil
      } ?? self.server.resources
  }

  private mutating func readRegistration(_ reader: inout SettingsReader) {
    var policy = self.server.registration
    self.closesRegistration = policy.mode == .off && reader.given(.registrationMode) == nil
    policy.mode = reader.read(.registrationMode, "off, token or open is due", RegistrationPolicy.Mode.init) ?? policy.mode
    policy.scope =
      reader.read(.registrationScope, "scope names separated by spaces are due") { text in
        Scope(text).flatMap { $0.isEmpty ? nil : $0 }
      } ?? policy.scope
    policy.acceptsDocuments = reader.readSwitch(.registrationDocuments) ?? policy.acceptsDocuments
    policy.documentHosts = reader.readDocumentHosts() ?? policy.documentHosts
    policy.schemes = reader.readSchemes() ?? policy.schemes
    policy.allowsDeviceGrant = reader.readSwitch(.registrationDevice) ?? policy.allowsDeviceGrant
    policy.perMinute = reader.readNumber(.registrationPerMinute, 1...1_000_000) ?? policy.perMinute
    policy.maximumClients = reader.readNumber(.registrationLimit, 1...10_000_000) ?? policy.maximumClients
    policy.unusedLifetime = reader.readTime(.registrationUnused, from: "1h", to: "365d") ?? policy.unusedLifetime
    self.server.registration = policy
  }
}

extension Lifetimes {
  fileprivate mutating func read(_ reader: inout SettingsReader) {
    // RFC 6749 §4.1.2: ten minutes at most.
    self.authorizationCode = reader.readTime(.codeLifetime, from: "5s", to: "10m") ?? self.authorizationCode
    self.accessToken = reader.readTime(.accessTokenLifetime, from: "30s", to: "1d") ?? self.accessToken
    self.idToken = reader.readTime(.idTokenLifetime, from: "30s", to: "1d") ?? self.idToken
    self.refreshTokenIdle = reader.readTime(.refreshTokenIdle, from: "10m", to: "3650d") ?? self.refreshTokenIdle
    self.grant = reader.readTime(.grantLifetime, from: "10m", to: "3650d") ?? self.grant
    self.lostReplyWindow = reader.readTime(.lostReplyWindow, from: "0s", to: "10m") ?? self.lostReplyWindow
    self.interaction = reader.readTime(.interactionLifetime, from: "1m", to: "1d") ?? self.interaction
    self.pushedRequest = reader.readTime(.pushedRequestLifetime, from: "5s", to: "1h") ?? self.pushedRequest
    self.deviceCode = reader.readTime(.deviceCodeLifetime, from: "1m", to: "1h") ?? self.deviceCode
    self.browserSessionIdle = reader.readTime(.sessionIdle, from: "1m", to: "3650d") ?? self.browserSessionIdle
    self.browserSession = reader.readTime(.sessionLifetime, from: "1m", to: "3650d") ?? self.browserSession
  }
}

/// What is wrong with the settings, a line each.
struct SettingsMistakes: Error, Equatable {
  let list: [String]
}
