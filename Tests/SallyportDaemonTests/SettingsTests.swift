import ArgumentParser
import Foundation
import Logging
import SallyportHTTPServer
import SallyportProtocol
import SallyportServer
import Testing

@testable import SallyportDaemon

@Suite("Settings of the server")
struct SettingsTests {
  private func settings(
    flags: [Setting: (name: String, values: [String])] = [:], environment: [String: String] = [:], file: String = ""
  ) throws -> ServerSettings {
    try ServerSettings([
      SettingSource(flags: flags), SettingSource(environment: environment), SettingSource(file: file, path: "s.yaml"),
    ])
  }

  private func mistakes(file: String = "", environment: [String: String] = [:]) -> [String] {
    do {
      _ = try self.settings(environment: environment, file: file)
      return []
    } catch let mistakes as SettingsMistakes { return mistakes.list } catch { return ["\(error)"] }
  }

  @Test("for each setting, flags take precedence over the environment, and the environment over the file")
  func precedence() throws {
    let file = """
      name: From the file
      log: { level: debug }
      listen:
        port: 1001
        host: ::1
      """
    let environment = ["SALLYPORTD_LISTEN_PORT": "1002", "SALLYPORTD_NAME": "From the environment", "PATH": "/bin"]
    let all = try self.settings(flags: [.listenPort: ("--port", ["1003"])], environment: environment, file: file)
    #expect(all.port == 1003)
    #expect(all.server.name == "From the environment")
    #expect(all.host == "::1")
    #expect(all.logLevel == .debug)
    #expect(all.server.issuer.value == "http://localhost:1003")
    let none = try self.settings()
    #expect(none.monitoring.port == nil && none.monitoring.host == "127.0.0.1" && none.shutdown.delay == .zero)
    #expect(none.port == 8080 && none.data == "./sallyport-data" && none.tls == nil)
    #expect(none.server.name == "localhost")
  }

  @Test("the settings in a file are applied, whatever their type")
  func full() throws {
    let settings = try self.settings(
      file: """
        data: /srv/sallyport
        issuer: https://id.example.com
        name: Example
        resources: [https://api.example.com/a, https://api.example.com/b]
        listen: { host: 0.0.0.0, port: 8443 }
        tls: { certificate: /etc/c.pem, key: /etc/k.pem }
        proxies: [10.0.0.1, "2001:db8::/32"]
        connections: { limit: 100, per-address: 10, body-rate: 64, failures-per-second: 65, idle: 30s, request: 31s }
        sign-in: { failures-per-account: 50, failures-per-address: 51 }
        passkeys: { rp-id: example.com, origins: ["https://app.example"] }
        redirects.any-localhost-port: true
        accounts: { deletion: allowed, sign-up: open, sign-ups-per-hour: 70 }
        mail.from: accounts@example.com
        web-views: warn
        scopes.require-acr: [payments=phr, "admin:all=1"]
        clients.requests-per-minute: 5
        registration: { mode: token, scope: openid email, client-documents: false, per-minute: 6, limit: 7, unused: 8d, schemes: [cursor, vscode], device: true, document-hosts: ["apps.corp:8443"] }
        access-tokens.algorithm: RS256
        lifetimes:
          authorization-code: 11s
          access-token: 12m
          id-token: 13m
          refresh-token-idle: 14d
          grant: 15d
          lost-reply-window: 16s
          interaction: 17m
          pushed-request: 18s
          device-code: 19m
          browser-session-idle: 20h
          browser-session: 21d
        hashing: { threads: 3, waiting: 9 }
        log.level: error
        metrics: { host: 10.0.0.1, port: 9100 }
        shutdown: { delay: 5s, timeout: 1m }
        """)
    #expect(settings.monitoring == MonitoringSettings(host: "10.0.0.1", port: 9100))
    #expect(settings.shutdown == ShutdownSettings(delay: .seconds(5), timeout: .seconds(60)))
    #expect(settings.data == "/srv/sallyport" && settings.host == "0.0.0.0" && settings.port == 8443)
    #expect(settings.server.issuer.value == "https://id.example.com" && settings.server.name == "Example")
    #expect(settings.server.resources == ["https://api.example.com/a", "https://api.example.com/b"])
    #expect(settings.tls == CertificateFiles(certificate: "/etc/c.pem", key: "/etc/k.pem"))
    #expect(settings.connections.maximum == 100 && settings.connections.idle == .seconds(30))
    #expect(settings.connections.request == .seconds(31))
    #expect(settings.failuresPerSecond == 65)
    #expect(settings.connections.perAddress == 10 && settings.connections.bodyRate == 64)
    #expect(settings.proxies == ["10.0.0.1", "2001:db8::/32"].compactMap { AddressRange($0) } && settings.proxies.count == 2)
    #expect(settings.server.signIn.perAccount == 50 && settings.server.signIn.perAddress == 51)
    #expect(settings.server.allowsAccountDeletion && settings.server.webViews == .warn)
    #expect(settings.server.signUp == .open && settings.server.signUpsPerHour == 70)
    #expect(settings.server.mail?.from.value == "accounts@example.com")
    #expect(settings.server.requiredContexts == ["payments": "phr", "admin:all": "1"])
    #expect(settings.server.allowsAnyLocalhostPort && settings.server.requestsPerMinute == 5)
    #expect(settings.server.passkeys?.relyingPartyID == "example.com")
    #expect(settings.server.passkeys?.relatedOrigins == ["https://app.example"])
    let registration = settings.server.registration
    #expect(registration.mode == .token && registration.scope == "openid email" && !registration.acceptsDocuments)
    #expect(registration.schemes == ["cursor", "vscode"] && registration.allowsDeviceGrant)
    #expect(registration.documentHosts == ["apps.corp:8443"])
    #expect(registration.perMinute == 6 && registration.maximumClients == 7)
    #expect(registration.unusedLifetime == .seconds(8 * 86_400))
    #expect(settings.server.accessTokenAlgorithm == .rs256)
    let lifetimes = settings.server.lifetimes
    #expect(lifetimes.authorizationCode == .seconds(11) && lifetimes.accessToken == .seconds(720))
    #expect(lifetimes.idToken == .seconds(780) && lifetimes.refreshTokenIdle == .seconds(14 * 86_400))
    #expect(lifetimes.grant == .seconds(15 * 86_400) && lifetimes.reuseInterval == .seconds(16))
    #expect(lifetimes.interaction == .seconds(17 * 60) && lifetimes.pushedRequest == .seconds(18))
    #expect(lifetimes.deviceCode == .seconds(19 * 60) && lifetimes.browserSessionIdle == .seconds(20 * 3_600))
    #expect(lifetimes.browserSession == .seconds(21 * 86_400))
    #expect(settings.hashingThreads == 3 && settings.hashingWaiting == 9 && settings.logLevel == .error)
  }

  @Test("the variables with which Kubernetes describes services are ignored, and other unknown variables are mistakes")
  func serviceVariables() {
    let links = [
      "SALLYPORTD_SERVICE_HOST": "10.0.0.7", "SALLYPORTD_SERVICE_PORT": "8080", "SALLYPORTD_SERVICE_PORT_HTTP": "8080",
      "SALLYPORTD_PORT": "tcp://10.0.0.7:8080", "SALLYPORTD_PORT_8080_TCP": "tcp://10.0.0.7:8080",
      "SALLYPORTD_PORT_8080_TCP_PROTO": "tcp", "SALLYPORTD_PORT_8080_TCP_PORT": "8080",
      "SALLYPORTD_PORT_8080_TCP_ADDR": "10.0.0.7", "SALLYPORTD_METRICS_PORT": "tcp://10.0.0.8:9464",
    ]
    #expect(SettingSource(environment: links).mistakes.isEmpty && SettingSource(environment: links).given.isEmpty)
    let others = ["SALLYPORTD_PORT": "8080", "SALLYPORTD_METRICS_PORT": "9464"]
    #expect(SettingSource(environment: others).mistakes == ["SALLYPORTD_PORT is not a setting"])
    #expect(SettingSource(environment: others).given[.metricsPort]?.values == ["9464"])
  }

  @Test("each setting has one environment variable, and each variable is read")
  func variables() throws {
    #expect(Setting.listenPort.variable == "SALLYPORTD_LISTEN_PORT")
    #expect(Setting.anyLocalhostPort.variable == "SALLYPORTD_REDIRECTS_ANY_LOCALHOST_PORT")
    #expect(Set(Setting.allCases.map(\.variable)).count == Setting.allCases.count)
    // A variable is read if the value U+0007, which is invalid for most settings, is reported. The five settings that
    // are left out accept this value.
    for setting in Setting.allCases where ![.data, .name, .tlsCertificate, .tlsKey, .listenHost].contains(setting) {
      let found = self.mistakes(environment: [setting.variable: "\u{7}"])
      #expect(found.contains { $0.hasPrefix(setting.variable) }, "\(setting)")
    }
    let list = try self.settings(environment: ["SALLYPORTD_RESOURCES": "https://a.example https://b.example"])
    #expect(list.server.resources == ["https://a.example", "https://b.example"])
  }

  @Test("passkeys can be turned off, and passkey settings that contradict the issuer or each other are mistakes")
  func passkeys() throws {
    #expect(try self.settings(file: "passkeys.enabled: false").server.passkeys == nil)
    #expect(try self.settings(file: "issuer: http://127.0.0.1:8080").server.passkeys != nil)
    let files = [
      // RP IDs that are neither the issuer's host nor a parent domain of the host, or are not lowercase.
      "{ issuer: https://id.example.com, passkeys.rp-id: example.org }",
      "{ issuer: https://id.example.com, passkeys.rp-id: 'Example.com' }",
      "{ issuer: 'http://127.0.0.1:8080', passkeys.rp-id: localhost }",
      // An origin with http.
      "{ issuer: https://id.example.com, passkeys.origins: ['http://app.example'] }",
      // Models without root certificates, root certificates without models, an invalid model, and a missing file.
      "{ issuer: https://id.example.com, passkeys.authenticators: [08987058-cadc-4b81-b6e1-30de50dcbe96] }",
      "{ issuer: https://id.example.com, passkeys.attestation-roots: roots.pem }",
      "{ issuer: https://id.example.com, passkeys: { authenticators: [x], attestation-roots: roots.pem } }",
      """
      { issuer: https://id.example.com, passkeys: { authenticators: [08987058-cadc-4b81-b6e1-30de50dcbe96], attestation-roots: /none.pem } }
      """,
    ]
    for file in files {
      #expect(self.mistakes(file: file).contains { $0.contains("passkeys") }, "\(file)")
    }
    #expect(self.mistakes(file: files[0]).contains { $0.hasSuffix("Use the issuer's host or a parent domain.") })
  }

  @Test("if the issuer is invalid, settings that depend on the issuer cause no further mistakes")
  func invalidIssuer() {
    let found = self.mistakes(
      file: "{ issuer: 'http://id.example', passkeys: { rp-id: id.example, origins: ['https://app.example'] } }")
    #expect(found.count == 1 && found.first?.contains("issuer") == true, "\(found)")
  }

  @Test("a level that users cannot reach, an unknown level, and a scope with two levels are mistakes")
  func requiredLevels() throws {
    let https = "issuer: https://id.example.com"
    for (file, word) in [
      ("{ \(https), passkeys.enabled: false, scopes.require-acr: [payments=phr] }", "payments"),
      ("{ issuer: 'http://127.0.0.1:8080', scopes.require-acr: [payments=phr] }", "payments"),
      ("{ \(https), scopes.require-acr: [payments=phrh] }", "phrh"),
      ("{ \(https), scopes.require-acr: [payments=high] }", "payments=high"),
      ("{ \(https), scopes.require-acr: [payments] }", "payments"),
      ("{ \(https), scopes.require-acr: ['a b=phr'] }", "a b=phr"),
      ("{ \(https), scopes.require-acr: [payments=phr, payments=1] }", "twice"),
    ] {
      #expect(self.mistakes(file: file).contains { $0.contains("scopes.require-acr") && $0.contains(word) }, "\(file)")
    }
    #expect(self.mistakes(file: "{ \(https), scopes.require-acr: [payments=phr] }").isEmpty)
  }

  @Test("neither an invalid issuer nor an unreadable file hides other mistakes")
  func allMistakes() throws {
    // Because the issuer is invalid, nothing checks whether the issuer allows this value of listen.host.
    let file = "{ issuer: 'http://id.example.com', log.level: loud, listen.host: 0.0.0.0, tls: { certificate: c } }"
    #expect(
      self.mistakes(file: file).map { $0.contains("issuer") || $0.contains("loud") || $0.contains("tls.key") } == [
        true, true, true,
      ])
    #expect(self.mistakes(file: "{ listen.port: 0, log.level: loud }").count == 2)
    let folder = try Folder()
    defer { folder.remove() }
    // The byte 0xFF is not valid in UTF-8.
    try Data([0x61, 0x3A, 0xFF]).write(to: URL(filePath: "\(folder.path)/latin"))
    for (name, reason) in [("missing", "cannot be read: No such file or directory"), ("latin", "is not UTF-8")] {
      let sources = [
        SettingSource(environment: ["SALLYPORTD_LOG_LEVEL": "loud"]), SettingSource(contentsOf: "\(folder.path)/\(name)"),
      ]
      let error = #expect(throws: SettingsMistakes.self) { try ServerSettings(sources) }
      #expect(
        error?.list.count == 2 && error?.list.first?.hasSuffix("/\(name) \(reason)") == true, "\(String(describing: error))")
    }
  }

  @Test("an unreadable certificate and an unreadable key are reported together with other mistakes")
  func certificateFiles() throws {
    let file = "{ issuer: 'https://id.example.com', log.level: loud, tls: { certificate: /nowhere/c, key: /nowhere/k } }"
    let sources = [SettingSource(file: file, path: "s.yaml")]
    let error = #expect(throws: SettingsMistakes.self) { try ServerSettings(sources, loadingCertificate: true) }
    #expect(error?.list.count == 3 && error?.list.contains { $0.hasPrefix("tls.certificate: /nowhere/c is not") } == true)
    #expect(error?.list.contains { $0.hasPrefix("tls.key: /nowhere/k is not") } == true)
    #expect(throws: SettingsMistakes.self) {
      try SettingsOptions.parse([
        "--issuer", "https://id.example.com", "--tls-certificate", "/nowhere/c", "--tls-key", "/nowhere/k",
      ]).read(loadingCertificate: true)
    }
  }

  @Test("all mistakes are reported at once, each with its line or variable")
  func allAtOnce() {
    let file = """
      listen:
        port: 70000
        prot: 1
      log.level: loud
      lifetimes: { authorization-code: 11m, access-token: 5 }
      registration.mode: [open]
      resources: http://api.example.com
      redirects: { any-localhost-port: "yes" }
      """
    let found = self.mistakes(file: file, environment: ["SALLYPORTD_PROT": "1", "SALLYPORTD_NAME": ""])
    let expected = [
      "SALLYPORTD_PROT is not a setting", "s.yaml, line 3: listen.prot is not a setting",
      "s.yaml, line 6: registration.mode must be a single value",
      "s.yaml, line 2: listen.port must be a number from 0 to 65535, not \"70000\"",
      "s.yaml, line 4: log.level must be one of trace,",
      "s.yaml, line 5: lifetimes.authorization-code must be a duration from 5s to 10m, such as",
      "s.yaml, line 5: lifetimes.access-token must be a duration",
      "s.yaml, line 7: resources must be a list of https URIs",
      "s.yaml, line 8: redirects.any-localhost-port must be true or false, not \"yes\"",
      "SALLYPORTD_NAME must be a name, but is empty",
    ]
    for text in expected { #expect(found.contains { $0.hasPrefix(text) }, "\(text) in \(found)") }
    #expect(found.count == expected.count)
  }

  /// Settings files that contain one mistake each, with a part of the message about it.
  static let invalidFiles: [(String, String)] = [
    ("proxies: [10.0.0.0/8, 0.0.0.0/0]", "must be a list of IP addresses"),
    ("proxies: proxy.example", "must be a list of IP addresses"),
    ("- a\n- b", "settings must be a mapping of names to values"), ("a: b: c", "not valid YAML"), ("name: [", "not valid YAML"),
    ("listen.port: 1\nlisten: { port: 2 }", "is set twice"), ("issuer: http://id.example.com", "an https URL"),
    ("issuer: https://id.example.com?x", "an https URL"), ("issuer: https://ID.example.com", "lowercase"),
    ("issuer: https://id.example.com:443", "default port"), ("listen.host: 0.0.0.0", "if the issuer is http"),
    ("listen.port: 0", "requires an issuer"), ("tls.key: k", "requires tls.certificate"),
    ("issuer: https://id.example.com\ntls.certificate: c", "requires tls.key"),
    ("tls: { certificate: c, key: k }", "requires an https issuer"), ("lifetimes.grant: -1d", "a duration"),
    ("lifetimes.grant: 99999999999999999999d", "a duration"), ("lifetimes.lost-reply-window: 11m", "a duration"),
    ("hashing.threads: 0", "a number from 1"), ("listen: 8080", "is not a setting"), ("name: null: 1", "not valid YAML"),
    ("metrics.host: 10.0.0.1", "requires metrics.port"), ("metrics.port: 8080", "different from the port of the server"),
    ("name: ~", "must be a single value"), ("data:", "must be a single value"), ("resources: [~]", "must be a list of values"),
    ("registration.schemes: [com.example]", "without a period"), ("registration.schemes: [javascript]", "without a period"),
    ("registration.schemes: [https]", "without a period"), ("registration.schemes: [Cursor]", "without a period"),
    ("registration.schemes: [\"cursor://x\"]", "without a period"), ("registration.schemes: [\"a b\"]", "without a period"),
    ("registration.document-hosts: [\"https://apps.corp\"]", "host names"),
    ("registration.document-hosts: [apps.corp/a]", "host names"),
    ("registration.document-hosts: [\"apps.corp:443\"]", "host names"),
    ("registration.document-hosts: [\"*.corp\"]", "host names"), ("registration.document-hosts: [\"u@apps.corp\"]", "host names"),
    ("metrics.port: 0", "a number from 1"), ("shutdown.timeout: 0s", "a duration from 1s"),
  ]

  @Test(
    "by default, apps can register themselves only if the issuer is http, which requires a loopback host",
    arguments: [
      ("https://id.example.com", RegistrationPolicy.Mode.off), ("https://localhost", .off), ("http://localhost:8080", .open),
      ("http://127.0.0.1:8080", .open),
    ])
  func registrationDefault(issuer: String, mode: RegistrationPolicy.Mode) throws {
    #expect(try self.settings(file: "issuer: \(issuer)").server.registration.mode == mode)
    #expect(try self.settings(file: "{ issuer: '\(issuer)', registration.mode: open }").server.registration.mode == .open)
    #expect(try self.settings(file: "{ issuer: '\(issuer)', registration.mode: off }").server.registration.mode == .off)
  }

  @Test("each mistake causes one message with the reason", arguments: Self.invalidFiles)
  func rejects(_ file: String, _ reason: String) {
    let found = self.mistakes(file: file)
    #expect(found.count == 1 && found[0].contains(reason), "\(found)")
  }
}
