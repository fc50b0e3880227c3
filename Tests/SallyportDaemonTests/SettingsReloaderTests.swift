import Foundation
import Logging
import SocketTestSupport
import Synchronization
import Testing

@testable import SallyportDaemon

@Suite("Reloading settings")
struct SettingsReloaderTests {
  /// Collects log lines.
  private final class Log: Sendable {
    let lines = Mutex<[String]>([])

    struct Handler: LogHandler {
      let log: Log
      var logLevel = Logger.Level.trace
      var metadata: Logger.Metadata = [:]
      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
      }
      func log(event: LogEvent) {
        self.log.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
      }
    }
  }

  private let log = Log()

  /// Returns a reloader for a settings file. Its text was `before` when the server started, and is `after` now.
  private func reloader(from before: String, to after: String, certificate: ServerCertificate? = nil) -> SettingsReloader {
    let level = LogLevel(.notice)
    return SettingsReloader(
      read: { [SettingSource(file: after, path: "s.yaml")] },
      startupSettings: [SettingSource(file: before, path: "s.yaml")].values, certificate: certificate, level: level,
      logger: level.logger(label: "test", writingTo: Log.Handler(log: self.log)))
  }

  @Test("the log level changes for existing loggers, and the log names the settings that require a restart")
  func changes() {
    let reloader = self.reloader(from: "name: A", to: "{ name: B, log.level: debug, listen.port: 81 }")
    reloader.logger.debug("before")
    reloader.reload()
    reloader.logger.debug("after")
    let lines = self.log.lines.withLock { $0 }
    #expect(lines.count == 2 && lines.last?.hasPrefix("debug after") == true)
    #expect(lines.first?.contains("[\"name\", \"listen.port\"]") == true, "\(lines)")
  }

  @Test(
    "if any setting is invalid, nothing changes",
    arguments: ["{ log.level: debug, listen.port: no }", "{ log.level: debug, nothing: 1 }", "log.level: [", "log.level: loud"])
  func mistakes(file: String) {
    let reloader = self.reloader(from: "", to: file)
    reloader.reload()
    #expect(reloader.level.current == .notice)
    #expect(self.log.lines.withLock { $0 }.map { $0.hasPrefix("error") } == [true])
  }

  @Test("if TLS is turned on, the certificate is checked, although the change requires a restart")
  func newCertificate() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let files = try folder.certificate(TestCertificates())
    let after = "{ issuer: 'https://localhost', log.level: debug, tls: { certificate: \(files.certificate), key: \(files.key) } }"
    #expect(
      self.reloader(from: "issuer: https://localhost", to: after).reload()
        == "settings reloaded; restart to apply tls.certificate, tls.key")
    try folder.write("", to: "key.pem")
    let reloader = self.reloader(from: "issuer: https://localhost", to: after)
    #expect(reloader.reload() == "settings not reloaded: 1 mistake, see the log")
    #expect(reloader.level.current == .notice)
  }

  @Test("if the certificate is unreadable or does not match its key, nothing changes")
  func certificate() throws {
    let folder = try Folder()
    defer { folder.remove() }
    let files = try folder.certificate(TestCertificates())
    let settings = "{ issuer: 'https://localhost', tls: { certificate: \(files.certificate), key: \(files.key) } }"
    let reloader = self.reloader(
      from: settings, to: settings.dropLast() + ", log.level: debug }", certificate: try ServerCertificate(files))
    try folder.write(TestCertificates().serverPEM.key, to: "key.pem")
    reloader.reload()
    #expect(reloader.level.current == .notice)
    try folder.certificate(TestCertificates())
    reloader.reload()
    #expect(reloader.level.current == .debug)
    // Each line begins with its level: `error` or `notice`.
    #expect(self.log.lines.withLock { $0 }.map { String($0.prefix(5)) } == ["error", "notic"])
  }
}
