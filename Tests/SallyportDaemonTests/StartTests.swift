import ArgumentParser
import Logging
import SallyportArgon2
import SallyportHTTPServer
import ServerTestSupport
import ServiceLifecycle
import Synchronization
import SallyportSQLite
import Testing

@testable import SallyportDaemon

@Suite("Startup")
struct StartTests {
  /// A service that records whether its description was computed. Computing the description of a real service takes
  /// longer than starting it.
  private final class DescribedService: Service, CustomStringConvertible {
    let isDescribed = Atomic<Bool>(false)
    var description: String {
      self.isDescribed.store(true, ordering: .relaxed)
      return "all settings of the service"
    }
    func run() async throws { try await gracefulShutdown() }
  }

  @Test("a service is logged by its name, and its description is never computed")
  func names() async throws {
    let fixture = try await TestServer(database: .sqlite)
    let store = try #require(fixture.store as? SQLiteStore)
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test", factory: { _ in LineHandler { line in lines.withLock { $0.append(line) } } })
    let monitor = Monitor(
      settings: MonitoringSettings(), shutdown: ShutdownSettings(), database: .sqlite(store), file: "",
      hasher: Argon2PasswordHasher(threads: 1), connections: Connections(limits: ConnectionLimits()), logger: logger
    )
    let service = DescribedService()
    let group = monitor.group(of: [NamedService("probe", service)], signals: [])
    await group.triggerGracefulShutdown()
    try await group.run()
    let isDescribed = service.isDescribed.load(ordering: .relaxed)
    #expect(!isDescribed)
    let logged = lines.withLock { $0 }
    #expect(logged.contains { $0.contains("probe") } && !logged.contains { $0.contains("setting") })
  }

  @Test(
    "the separate parser for 'serve' reads the same options as the parser for all commands",
    arguments: [
      ["serve"], ["serve", "--port", "4000", "--data", "/d", "--any-localhost-port"],
      ["serve", "--port=4000", "--no-client-documents", "--log-level", "info"],
      ["serve", "--config", "f", "--issuer", "https://a"],
    ])
  func parsed(_ words: [String]) throws {
    let alone = try #require(try Sallyportd.command(for: words) as? Serve)
    let inTree = try #require(try Sallyportd.parseAsRoot(words) as? Serve)
    #expect(alone.options.sources(environment: [:]) == inTree.options.sources(environment: [:]))
  }

  @Test(
    "for help, usage errors, and other commands, the separate parser has the same result as the parser for all commands",
    arguments: [
      [], ["--version"], ["--help"], ["help", "serve"], ["serve", "--help"], ["serve", "--version"], ["serve", "--port"],
      ["serve", "--nonsense"], ["serve", "help"], ["serve", "stray"], ["serves"], ["--generate-completion-script", "bash"],
      ["serve", "--generate-completion-script", "bash"],
    ])
  func messages(_ words: [String]) {
    func text(_ parse: () throws -> any ParsableCommand) -> String {
      do { return "\(type(of: try parse()))" } catch {
        return "\(Sallyportd.exitCode(for: error)) \(Sallyportd.fullMessage(for: error))"
      }
    }
    #expect(text { try Sallyportd.command(for: words) } == text { try Sallyportd.parseAsRoot(words) })
  }

  @Test("a command other than 'serve' is parsed")
  func others() throws {
    #expect(try Sallyportd.command(for: ["user", "list"]) is User.List)
  }
}

/// Passes each log line with its metadata to a closure.
private struct LineHandler: LogHandler {
  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]
  let line: @Sendable (String) -> Void

  init(_ line: @escaping @Sendable (String) -> Void) { self.line = line }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { self.metadata[key] }
    set { self.metadata[key] = newValue }
  }

  func log(event: LogEvent) { self.line("\(event.message) \(event.metadata ?? [:])") }
}
