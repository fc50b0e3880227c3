import Foundation
import Logging
import SallyportProtocol
import SallyportSQLite
import SallyportServer
import ServerTestSupport
import Testing

@testable import SallyportDaemon

@Suite("Readiness")
struct ReadinessTests {
  private static var quiet: Logger {
    Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
  }

  @Test("not before the start is complete, not once the server is to stop")
  func phases() async throws {
    let fixture = try await TestServer()
    let readiness = Readiness(store: fixture.store, logger: Self.quiet)
    #expect(await readiness.answer() == .starting)
    readiness.started()
    #expect(await readiness.answer() == .ready)
    readiness.stopping()
    #expect(await readiness.answer() == .stopping)
    // The listener may open after all that.
    readiness.started()
    #expect(await readiness.answer() == .stopping)
  }

  @Test("a store that cannot be written is seen within a second, and so is one that can again")
  func fullDisk() async throws {
    let (fixture, hands) = (try await TestServer(), Hands())
    let store = FailingStore(fixture.store)
    let readiness = Readiness(store: store, logger: Self.quiet, now: { hands.now })
    readiness.started()
    #expect(await readiness.answer() == .ready)
    store.fail(with: .unavailable(reason: "SQLite error 13: database or disk is full"))
    hands.advance(by: .milliseconds(999))
    #expect(await readiness.answer() == .ready)
    hands.advance(by: .milliseconds(1))
    #expect(await readiness.answer() == .storeUnavailable)
    store.fail(with: nil)
    #expect(await readiness.answer() == .storeUnavailable)
    hands.advance(by: .seconds(1))
    #expect(await readiness.answer() == .ready)
  }

  @Test("a database whose file is gone, or another one, is seen although it can be written")
  func gone() async throws {
    let folder = try Folder()
    defer { folder.remove() }
    let (directory, hands) = (try DataDirectory(path: folder.path), Hands())
    let path = "\(folder.path)/\(DataFiles.database)"
    let opened = try #require(PrivateFiles.identity(of: path))
    let readiness = Readiness(
      store: directory.store, isInPlace: { PrivateFiles.identity(of: path) == opened }, logger: Self.quiet, now: { hands.now })
    readiness.started()
    #expect(await readiness.answer() == .ready)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    hands.advance(by: .seconds(1))
    #expect(await readiness.answer() == .storeUnavailable)
    try folder.write("another", to: DataFiles.database)
    hands.advance(by: .seconds(1))
    #expect(await readiness.answer() == .storeUnavailable)
  }

  @Test("a store that cannot be read is seen")
  func broken() async throws {
    let fixture = try await TestServer()
    try fixture.store.close()
    let readiness = Readiness(store: fixture.store, logger: Self.quiet)
    readiness.started()
    #expect(await readiness.answer() == .storeUnavailable)
  }

  @Test("a thousand who ask at once make one write, and it leaves one row however often it is made")
  func once() async throws {
    let (fixture, hands) = (try await TestServer(), Hands())
    let store = FailingStore(fixture.store)
    let readiness = Readiness(store: store, logger: Self.quiet, now: { hands.now })
    readiness.started()
    let rows = try fixture.contents().split(separator: "\n").count
    for round in 1...3 {
      let answers = await withTaskGroup(of: Readiness.Answer.self) { group in
        for _ in 0..<1_000 { group.addTask { await readiness.answer() } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 1_000 && answers.allSatisfy { $0 == .ready })
      #expect(store.writes == round)
      hands.advance(by: .seconds(1))
    }
    #expect(try fixture.contents().split(separator: "\n").count == rows + 1)
  }
}
