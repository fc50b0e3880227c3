import Foundation
import SallyportProtocol
import SallyportServer
import Synchronization
import Testing

@testable import SallyportSQLite

@Suite("Several stores with one file", .timeLimit(.minutes(3)))
struct ProcessTests {
  final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test("several stores can create and open a new file at the same time")
  func openingTogether() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    for round in 0..<5 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            let store = try SQLiteStore(path: "\(directory.path)/\(round).sqlite")
            let isFirst = try await store.write { (tx) throws(StoreError) in
              try tx.consumeInteraction("\(index)", expires: .now())
            }
            #expect(isFirst)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// SQLite does not grant its lock in the order of the requests. A store tries again after short pauses, 1.5 ms on
  /// average. With long pauses, a store might never get the lock while another one writes continuously.
  @Test("a store can write while another store writes continuously")
  func fairness() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/a.sqlite"
    let (busy, other) = (try SQLiteStore(path: path), try SQLiteStore(path: path))
    let end = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          var index = 0
          while !end.isSet.load(ordering: .relaxed) {
            index += 1
            let id = "\(worker)-\(index)"
            _ = try await busy.write { (tx) throws(StoreError) in try tx.consumeInteraction(id, expires: .now()) }
          }
        }
      }
      for index in 0..<20 {
        let isFirst = try await other.write { (tx) throws(StoreError) in try tx.consumeInteraction("\(index)", expires: .now()) }
        #expect(isFirst)
      }
      end.isSet.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
  }
}
