import ArgumentParser
import Logging
import SallyportProtocol
import SallyportServer

/// `sallyportd serve`: runs the server until it is told to stop.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run the authorization server.",
    discussion: """
      The issuer is https, with a certificate or behind a proxy that ends TLS, or http on this machine's loopback for development.
      Each setting can stand in the file of --config (listen.port), in the environment (SALLYPORTD_LISTEN_PORT) or among the flags
      (--port); flags win over the environment, and that over the file. SIGTERM and SIGINT stop the server after the requests that
      have begun.

      SIGHUP reads the settings again: log.level changes, and the files of the certificate are read anew, for connections that begin after. What
      else has changed is named in the log and waits for a restart; where anything is wrong, everything stays as it is.
      """)
  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let options = self.options
    let sources = options.sources()
    let settings = try ServerSettings(sources, loadingCertificate: true)
    let directory = try DataDirectory(path: settings.data)
    let application = try await ServerApplication(directory: directory, settings: settings)
    try await application.run(started: sources, reading: { options.sources() }) { port in
      let issuer = settings.server.issuer
      let location =
        issuer.isHTTPS ? "\(settings.tls == nil ? "http" : "https")://\(settings.host):\(port)" : issuer.value
      switch settings.logFormat {
      case .text: Console.say("sallyportd: serving \(issuer) at \(location)")
      // Every line is to be JSON, this one too, and whatever the level is.
      case .json:
        application.logger.log(
          level: max(.notice, settings.logLevel), "serving", metadata: ["issuer": "\(issuer)", "location": "\(location)"])
      }
      if settings.closesRegistration {
        application.logger.notice(
          "apps cannot register themselves; to allow it, for example for MCP clients, set registration.mode to open")
      }
      ServiceManager.tell("READY=1")
    }
  }
}
