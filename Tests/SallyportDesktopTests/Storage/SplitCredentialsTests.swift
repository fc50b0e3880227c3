import Sallyport
import Synchronization
import Testing

@testable import SallyportDesktop

/// `SplitCredentials` stores a value in a main entry with the name of the value (here `grant`). A value that is too
/// large for one entry is split into pieces, which are entries with other names.
struct SplitCredentialsTests {
  /// Sizes around one and two entries of 2,560 bytes, and a size of many entries.
  private static let sizes = [0, 1, 2558, 2559, 2560, 2561, 5120, 5121, 60_000]

  private static func value(_ size: Int, seed: UInt8 = 7) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
  }

  @Test("C-22: values, even of 60,000 bytes, are stored in entries of at most 2,560 bytes", arguments: sizes)
  func keeps(size: Int) throws {
    let store = SplitCredentials(vault: FakeVault())
    try store.save(Self.value(size), "grant")
    #expect(try store.load("grant") == Self.value(size))
    #expect(store.vault.longestEntry <= 2560)
    try store.remove("grant")
    #expect(try store.load("grant") == nil)
    #expect(store.vault.names.isEmpty)
  }

  @Test("after a save, the vault has no more entries than the new value needs", arguments: sizes, [1, 9000])
  func replaces(before: Int, after: Int) throws {
    let store = SplitCredentials(vault: FakeVault())
    try store.save(Self.value(before, seed: 1), "grant")
    try store.save(Self.value(after, seed: 2), "grant")
    let newStore = SplitCredentials(vault: FakeVault())
    try newStore.save(Self.value(after, seed: 2), "grant")
    #expect(try store.load("grant") == Self.value(after, seed: 2))
    #expect(store.vault.names.count == newStore.vault.names.count)
  }

  @Test(
    "a process that is killed at any point of a save leaves the old value or the new one",
    arguments: [10, 9000], [10, 9000])
  func crashes(before: Int, after: Int) throws {
    let (old, new) = (Self.value(before, seed: 1), Self.value(after, seed: 2))
    var hasFinished = false
    /// For each run, whether the new value was found.
    var outcomes: Set<Bool> = []
    var steps = 0
    while !hasFinished {
      let store = SplitCredentials(vault: FakeVault())
      try store.save(old, "grant")
      store.vault.crash(after: steps)
      try? store.save(new, "grant")
      hasFinished = !store.vault.hasCrashed
      store.vault.restart()
      let found = try #require(try store.load("grant"))
      #expect(found == old || found == new)
      outcomes.insert(found == new)
      // Entries that the crashed process left don't affect the next process.
      try store.save(old, "grant")
      #expect(try store.load("grant") == old)
      try store.save(new, "grant")
      #expect(try store.load("grant") == new)
      steps += 1
    }
    #expect(outcomes == [false, true])
    #expect(steps > 1)
  }

  @Test("a changed piece and a main entry with an unknown format cause an error")
  func damage() throws {
    let store = SplitCredentials(vault: FakeVault())
    try store.save(Self.value(9000), "grant")
    let piece = try #require(store.vault.names.first { $0 != "grant" })
    try store.vault.write([1, 2, 3], piece)
    #expect(throws: TokenStoreError.self) { try store.load("grant") }
    for entry in [[], [2, 1], [1], [1, 2, 3]] as [[UInt8]] {
      try store.vault.write(entry, "grant")
      #expect(throws: TokenStoreError.self) { try store.load("grant") }
    }
    try store.save([5], "grant")
    #expect(try store.load("grant") == [5])
  }

  @Test("a value that is replaced while it is being read is read again")
  func replacedWhileRead() throws {
    let vault = FakeVault()
    let store = SplitCredentials(vault: vault)
    try store.save(Self.value(9000, seed: 1), "grant")
    vault.beforeNextPiece { try? store.save(Self.value(9000, seed: 2), "grant") }
    #expect(try store.load("grant") == Self.value(9000, seed: 2))
  }
}

/// A vault with the rules of Windows' Credential Manager: writes are atomic and have at most 2,560 bytes. After a
/// simulated crash, writes and removals fail.
private final class FakeVault: CredentialVault {
  private struct State {
    var entries: [String: [UInt8]] = [:]
    var stepsLeft: Int?
    var beforeNextPiece: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var names: Set<String> { self.state.withLock { Set($0.entries.keys) } }
  var longestEntry: Int { self.state.withLock { $0.entries.values.map(\.count).max() ?? 0 } }
  /// Whether all steps before the simulated crash have been used.
  var hasCrashed: Bool { self.state.withLock { $0.stepsLeft == 0 } }

  /// Makes all writes and removals fail after the next `steps` ones, until ``restart()`` is called.
  func crash(after steps: Int) { self.state.withLock { $0.stepsLeft = steps } }
  func restart() { self.state.withLock { $0.stepsLeft = nil } }
  /// Runs `body` before the next read of a piece.
  func beforeNextPiece(_ body: @escaping @Sendable () -> Void) { self.state.withLock { $0.beforeNextPiece = body } }

  func read(_ name: String) throws(TokenStoreError) -> [UInt8]? {
    if name != "grant" {
      let body = self.state.withLock { state in
        defer { state.beforeNextPiece = nil }
        return state.beforeNextPiece
      }
      body?()
    }
    return self.state.withLock { $0.entries[name] }
  }

  func write(_ value: [UInt8], _ name: String) throws(TokenStoreError) {
    guard value.count <= 2560 else { throw .failed(reason: "too large") }
    try self.step { $0[name] = value }
  }

  func remove(_ name: String) throws(TokenStoreError) {
    try self.step { $0[name] = nil }
  }

  private func step(_ change: (inout [String: [UInt8]]) -> Void) throws(TokenStoreError) {
    let isDone = self.state.withLock { state in
      if let left = state.stepsLeft {
        guard left > 0 else { return false }
        state.stepsLeft = left - 1
      }
      change(&state.entries)
      return true
    }
    guard isDone else { throw .failed(reason: "the process was killed") }
  }
}
