import Foundation
import Security
import Synchronization
import Testing

@testable import Sallyport

/// Runs on any machine, with the simulated Keychain in `Tests/Platforms/Stubs`.
@Suite(.serialized)
struct KeychainTests {
  static let key = TokenStoreKey(kind: "grant", issuer: "https://id.example.com", clientID: "notes")
  let store = KeychainTokenStore(leaseFolder: "/tmp/sallyport-platform-tests-\(UInt64.random(in: 0 ... .max))")

  init() {
    FakeKeychain.state.withLock { $0 = FakeKeychain.State() }
  }

  @Test("C-22, P-01, P-04: a value is one Keychain item, only on this device, and readable after the first unlock")
  func saves() async throws {
    try await self.store.save(Secret([1, 2, 3]), for: Self.key)
    #expect(try await self.store.load(Self.key)?.reveal() == [1, 2, 3])
    let items = FakeKeychain.state.withLock(\.items)
    let identity = try #require(items.keys.first)
    #expect(items.count == 1)
    #expect(items.values.first?.accessible == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
    // The item is not synchronized, and is in the data-protection Keychain.
    #expect(identity.hasSuffix("|false|true"))
    #expect(!identity.contains("example"))
  }

  @Test("C-22: a save replaces the item in one step and keeps its protection class")
  func replaces() async throws {
    try await self.store.save(Secret([1]), for: Self.key)
    FakeKeychain.state.withLock { $0.calls = [] }
    try await self.store.save(Secret([2]), for: Self.key)
    #expect(FakeKeychain.state.withLock(\.calls) == ["update"])
    #expect(try await self.store.load(Self.key)?.reveal() == [2])
    #expect(FakeKeychain.state.withLock { $0.items.values.first?.accessible } == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
  }

  @Test("C-22: an item that another process adds in the meantime is replaced")
  func races() async throws {
    FakeKeychain.state.withLock { $0.addedByAnother = Data([9]) }
    try await self.store.save(Secret([1]), for: Self.key)
    #expect(try await self.store.load(Self.key)?.reveal() == [1])
    #expect(FakeKeychain.state.withLock(\.calls).prefix(3) == ["update", "add", "update"])
  }

  @Test("C-22: clients and access groups have separate values, and a removed value no longer exists")
  func separates() async throws {
    var other = Self.key
    other.clientID = "mail"
    let group = KeychainTokenStore(accessGroup: "TEAM.shared")
    try await self.store.save(Secret([1]), for: Self.key)
    #expect(try await self.store.load(other) == nil)
    #expect(try await group.load(Self.key) == nil)
    try await self.store.remove(Self.key)
    try await self.store.remove(Self.key)
    #expect(try await self.store.load(Self.key) == nil)
  }

  @Test(
    "C-22: a Keychain that does not respond is an error and not an empty store",
    arguments: [errSecMissingEntitlement, errSecInteractionNotAllowed, errSecNotAvailable])
  func unavailable(status: OSStatus) async {
    FakeKeychain.state.withLock { $0.failure = status }
    await #expect {
      _ = try await self.store.load(Self.key)
    } throws: {
      if case TokenStoreError.unavailable = $0 { true } else { false }
    }
    await #expect(throws: TokenStoreError.self) { try await self.store.save(Secret([1]), for: Self.key) }
  }

  @Test("the lease excludes other tasks")
  func lease() async throws {
    let inside = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await self.store.withLease(on: Self.key) {
            #expect(await inside.enter() == 1)
            await Task.yield()
            await inside.leave()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private actor Counter {
    private var count = 0
    func enter() -> Int {
      self.count += 1
      return self.count
    }
    func leave() { self.count -= 1 }
  }
}
