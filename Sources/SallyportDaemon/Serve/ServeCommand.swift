import ArgumentParser
import Logging
import SallyportPostgres
import SallyportProtocol
import SallyportServer

/// `sallyportd serve`: runs the server until it receives SIGTERM or SIGINT.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the authorization server.",
    discussion: """
      The issuer must be https, with a certificate or behind a proxy that terminates TLS. For development it can be http on this machine.
      Each setting can be in the file of --config (listen.port) or in the environment (SALLYPORTD_LISTEN_PORT). Some settings also have a
      flag (--port). Flags take precedence over the environment, and the environment over the file. SIGTERM and SIGINT stop the server. Requests in progress
      can finish within shutdown.timeout.

      SIGHUP reloads log.level and the files of the certificate, which new connections then use. The log names all other settings that
      have changed. They take effect after a restart. If any setting is invalid, nothing changes.
      """)
  @OptionGroup var options: SettingsOptions

  /// Warns if the issuer differs from the issuer with which the server first ran with the data directory.
  private static func warnAboutIssuer(_ settings: ServerSettings, _ logger: Logger) {
    let file = IssuerFile(path: "\(settings.data)/\(DataFiles.issuer)")
    guard let former = file.formerIssuer(insteadOf: settings.server.issuer) else { return }
    logger.warning(
      "the issuer has changed, so users of all apps must sign in again; if this is intended, delete the file with the former issuer",
      metadata: ["issuer": "\(settings.server.issuer)", "former_issuer": "\(former)", "file": "\(file.path)"])
  }

  /// Opens the data directory, and creates a missing key file. If there is a SQLite database, or a PostgreSQL database
  /// with signing keys, a missing key file is an error instead, because a new key file cannot decrypt the signing keys.
  ///
  /// If a PostgreSQL database cannot be reached, the server starts nevertheless, so a missing key file is created
  /// without this check. ``StorePreparation`` then checks the file as soon as the database can be read.
  private static func open(_ settings: ServerSettings) async throws -> DataDirectory {
    guard let address = settings.database else { return try DataDirectory(path: settings.data) }
    let store = PostgresStore(address)
    do {
      return try await DataDirectory.open(path: settings.data, connectingTo: store, replacesLostKey: false)
    } catch let failure as Failure where failure.isPermanent {
      throw failure
    } catch {
      return try DataDirectory(path: settings.data, store: store)
    }
  }

  func run() async throws {
    let options = self.options
    let sources = options.sources()
    let settings = try ServerSettings(sources, loadingCertificate: true)
    let directory = try await Self.open(settings)
    defer { directory.close() }
    let application = try await ServerApplication(directory: directory, settings: settings)
    try await application.run(sources: sources, reading: { options.sources() }) { port in
      let issuer = settings.server.issuer
      // An https issuer can be the URL of a proxy. The location is the address at which this process listens.
      let location =
        issuer.isHTTPS ? "\(settings.tls == nil ? "http" : "https")://\(settings.host):\(port)" : issuer.value
      switch settings.logFormat {
      case .text: Console.printMessage("sallyportd: serving \(issuer) at \(location)")
      // With this format, every line must be JSON, including this one, which is written at every log level.
      case .json:
        application.logger.log(
          level: max(.notice, settings.logLevel), "serving", metadata: ["issuer": "\(issuer)", "location": "\(location)"])
      }
      if settings.isRegistrationOffByDefault {
        application.logger.notice(
          "apps cannot register themselves; to allow this, for example for MCP clients, set registration.mode to open")
      }
      Self.warnAboutIssuer(settings, application.logger)
      ServiceManager.notify("READY=1")
    }
  }
}
