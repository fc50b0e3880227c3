import Foundation
import Glibc
import Sallyport
import SallyportProtocol
import Synchronization
import Testing

@testable import SallyportDesktop

@Suite(.timeLimit(.minutes(3)))
struct FileLeaseTests {
  private let home = TemporaryFolder()
  private static let key = TokenStoreKey(kind: "grant", issuer: "https://issuer.example", clientID: "probe")

  @Test("a lease excludes other tasks of the process, through the same store or a second store object")
  func tasks() async throws {
    let inside = Occupancy()
    let stores = [EncryptedFileStore(folder: self.home.path), EncryptedFileStore(folder: self.home.path)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20 {
        group.addTask {
          try await stores[index % 2].withLease(on: Self.key) {
            #expect(await inside.enter() == 1)
            for _ in 0..<10 { await Task.yield() }
            await inside.leave()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("a lease excludes other processes, so four processes that share a counter count to 400")
  func processes() async throws {
    self.home.write("count", Array("0\n".utf8))
    let arguments = [try Probe.path, "count", self.home.path + "/data", self.home.path + "/count"]
    let probes = try (0..<4).map { _ in try Probe(arguments) }
    for probe in probes { _ = await probe.lines() }
    #expect(self.home.read("count") == Array("400\n".utf8))
  }

  @Test("a lease becomes free when its process is killed; until then, a lease on another key can be taken")
  func killedHolder() async throws {
    let store = EncryptedFileStore(folder: self.home.path)
    let probe = try Probe([try Probe.path, "lease", self.home.path])
    #expect(await probe.line() == "held")
    var other = Self.key
    other.clientID = "other"
    try await store.withLease(on: other) {}

    let taken = Atomic(false)
    async let waiting: Void = store.withLease(on: Self.key) { taken.store(true, ordering: .relaxed) }
    // Waits until the task has opened the lock file and tries to lock it.
    while try !Self.hasOpen("\(Self.key.fileName).lock") { await Task.yield() }
    // Gives the waiting task time to take the lease, which it must not do, because the probe still holds the lease.
    for _ in 0..<20 { try await store.withLease(on: other) { await Task.yield() } }
    let isTakenEarly = taken.load(ordering: .relaxed)
    #expect(!isTakenEarly)
    probe.kill()
    try await waiting
    let isTaken = taken.load(ordering: .relaxed)
    #expect(isTaken)
  }

  /// Whether this process has an open file with this name.
  private static func hasOpen(_ name: String) throws -> Bool {
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    return descriptors.contains { descriptor in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.hasSuffix("/\(name)") ?? false
    }
  }

  @Test("waiting for a lease can be canceled")
  func canceled() async throws {
    let probe = try Probe([try Probe.path, "lease", self.home.path])
    #expect(await probe.line() == "held")
    let store = EncryptedFileStore(folder: self.home.path)
    let task = Task { try await store.withLease(on: Self.key) { Issue.record("got the lease") } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("a lease ends when its body throws")
  func throwing() async throws {
    let store = EncryptedFileStore(folder: self.home.path)
    await #expect(throws: TokenStoreError.failed(reason: "a test")) {
      try await store.withLease(on: Self.key) { throw TokenStoreError.failed(reason: "a test") }
    }
    try await store.withLease(on: Self.key) {}
  }
}

/// Counts the tasks that hold the lease.
private actor Occupancy {
  private var count = 0

  func enter() -> Int {
    self.count += 1
    return self.count
  }

  func leave() {
    self.count -= 1
  }
}
