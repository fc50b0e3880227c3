import ArgumentParser
import Logging
import SallyportArgon2
import ServerTestSupport
import ServiceLifecycle
import Synchronization
import Testing

@testable import SallyportDaemon

@Suite("The start")
struct StartTests {
  /// Notes whether anybody had it described, which for a real service takes longer than to start it.
  private final class Described: Service, CustomStringConvertible {
    let isDescribed = Atomic<Bool>(false)
    var description: String {
      self.isDescribed.store(true, ordering: .relaxed)
      return "every setting there is"
    }
    func run() async throws { try await gracefulShutdown() }
  }

  @Test("a service is known by its name, and nobody has it described, neither to start it nor for the log")
  func names() async throws {
    let fixture = try await TestServer()
    let lines = Mutex<[String]>([])
    let logger = Logger(label: "test", factory: { _ in LineHandler { line in lines.withLock { $0.append(line) } } })
    let monitor = Monitor(
      settings: MonitoringSettings(), store: fixture.store, database: "", hasher: Argon2PasswordHasher(threads: 1), logger: logger
    )
    let service = Described()
    let group = monitor.group(of: [NamedService("probe", service)], signals: [])
    await group.triggerGracefulShutdown()
    try await group.run()
    let isDescribed = service.isDescribed.load(ordering: .relaxed)
    #expect(!isDescribed)
    let said = lines.withLock { $0 }
    #expect(said.contains { $0.contains("probe") } && !said.contains { $0.contains("setting") })
  }

  @Test(
    "serve means the same whether it is parsed by itself or in the tree of all commands",
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
    "what is no serve, or a mistaken one, is told as the tree of all commands tells it",
    arguments: [
      [], ["--version"], ["--help"], ["help", "serve"], ["serve", "--help"], ["serve", "--version"], ["serve", "--port"],
      ["serve", "--nonsense"], ["serve", "help"], ["serve", "stray"], ["serves"], ["--generate-completion-script", "bash"],
      ["serve", "--generate-completion-script", "bash"],
    ])
  func refused(_ words: [String]) {
    func text(_ parse: () throws -> any ParsableCommand) -> String {
      do { return "\(type(of: try parse()))" } catch {
        return "\(Sallyportd.exitCode(for: error)) \(Sallyportd.fullMessage(for: error))"
      }
    }
    #expect(text { try Sallyportd.command(for: words) } == text { try Sallyportd.parseAsRoot(words) })
  }

  @Test("a command of another name is itself")
  func others() throws {
    #expect(try Sallyportd.command(for: ["user", "list"]) is User.List)
  }
}

/// Gives each line of the log with its metadata to somebody.
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
