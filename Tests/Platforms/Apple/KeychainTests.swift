import Foundation
import Security
import Synchronization
import Testing

@testable import Sallyport

/// Runs on Linux, with the simulated Keychain in `Tests/Platforms/Stubs`.
@Suite(.serialized)
struct KeychainTests {
  static let key = TokenStoreKey(kind: "grant", issuer: "https://id.example.com", clientID: "notes")
  static let group = "TEAM.com.example.shared"
  static let folder = "/tmp/sallyport-platform-tests-\(UInt64.random(in: 0 ... .max))"
  let store = KeychainTokenStore(service: "notes", leases: LeaseFolder(path: Self.folder))

  init() {
    FakeKeychain.state.withLock { $0 = FakeKeychain.State() }
  }

  @Test(
    "C-22, P-01, P-04: a value is stored as one Keychain item that stays on this device and is readable after the first unlock")
  func saves() async throws {
    try await self.store.save(Secret([1, 2, 3]), for: Self.key)
    #expect(try await self.store.load(Self.key)?.reveal() == [1, 2, 3])
    let items = FakeKeychain.state.withLock(\.items)
    let identity = try #require(items.keys.first)
    #expect(items.count == 1)
    #expect(items.values.first?.accessible == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
    // The identity of a simulated item ends with two flags. This item is not synchronized, and is in the
    // data-protection Keychain.
    #expect(identity.hasSuffix("|false|true"))
    // The account attribute is a digest, so it does not reveal the issuer.
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

  @Test("C-22: an item that another process adds during a save is replaced")
  func races() async throws {
    FakeKeychain.state.withLock { $0.itemAddedByOtherProcess = Data([9]) }
    try await self.store.save(Secret([1]), for: Self.key)
    #expect(try await self.store.load(Self.key)?.reveal() == [1])
    #expect(FakeKeychain.state.withLock(\.calls).prefix(3) == ["update", "add", "update"])
  }

  @Test("clients and access groups have separate values, and a removed value no longer exists")
  func separates() async throws {
    var other = Self.key
    other.clientID = "mail"
    let group = try KeychainTokenStore(service: "notes", sharedIn: Self.sharedGroup())
    try await self.store.save(Secret([1]), for: Self.key)
    #expect(try await self.store.load(other) == nil)
    #expect(try await group.load(Self.key) == nil)
    try await self.store.remove(Self.key)
    try await self.store.remove(Self.key)
    #expect(try await self.store.load(Self.key) == nil)
  }

  @Test(
    "C-22: an unavailable Keychain is an error and not an empty store",
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

  /// Returns a group whose container exists.
  private static func sharedGroup() throws -> SharedKeychainGroup {
    FakeKeychain.state.withLock { $0.containers = ["group.com.example.shared": "\(Self.folder)/container"] }
    return try SharedKeychainGroup(accessGroup: Self.group, appGroup: "group.com.example.shared")
  }

  @Test("an app group without a container is an error, and so is a container that cannot be written")
  func unavailableContainer() throws {
    FakeKeychain.state.withLock { $0.containers = ["group.unwritable": "/dev/null"] }
    for appGroup in ["group.unknown", "group.unwritable"] {
      #expect {
        _ = try SharedKeychainGroup(accessGroup: Self.group, appGroup: appGroup)
      } throws: {
        if case TokenStoreError.unavailable(let reason) = $0 { reason.contains(appGroup) } else { false }
      }
    }
  }

  @Test("programs that share items share their locks, which are in the app group's container")
  func sharedLease() async throws {
    let app = KeychainTokenStore(service: "notes", sharedIn: try Self.sharedGroup())
    let appExtension = KeychainTokenStore(service: "notes", sharedIn: try Self.sharedGroup())
    let holders = Counter()
    let other = try await app.withLease(on: Self.key) {
      _ = await holders.enter()
      let other = Task { try await appExtension.withLease(on: Self.key) { #expect(await holders.enter() == 1) } }
      // Gives the other task time to take the lease, which it must not do yet.
      for _ in 0..<100 { await Task.yield() }
      await holders.leave()
      return other
    }
    try await other.value
    let locks = try FileManager.default.contentsOfDirectory(
      atPath: "\(Self.folder)/container/Library/Application Support/sallyport")
    #expect(locks.count == 1)
  }

  @Test(
    "if the shared group has no item, loading moves the earlier access group's item there in one step; removing a value removes both items"
  )
  func moves() async throws {
    let earlier = KeychainTokenStore(service: "notes", accessGroup: "TEAM.notes", leases: LeaseFolder(path: Self.folder))
    let shared = KeychainTokenStore(service: "notes", sharedIn: try Self.sharedGroup(), movingFrom: "TEAM.notes")
    #expect(try await shared.load(Self.key) == nil)
    try await earlier.save(Secret([1]), for: Self.key)
    FakeKeychain.state.withLock { $0.calls = [] }
    #expect(try await shared.load(Self.key)?.reveal() == [1])
    // The first copy finds no item in the shared group, the update moves the item there, and the second copy reads it.
    #expect(FakeKeychain.state.withLock(\.calls) == ["copy", "update", "copy"])
    let protection = FakeKeychain.state.withLock { $0.items.values.map(\.accessible) }
    #expect(protection == [kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
    #expect(try await earlier.load(Self.key) == nil)

    try await earlier.save(Secret([2]), for: Self.key)
    #expect(try await shared.load(Self.key)?.reveal() == [1])
    let other = KeychainTokenStore(service: "notes", sharedIn: try Self.sharedGroup())
    #expect(try await other.load(Self.key)?.reveal() == [1])

    // The earlier group still contains the value 2.
    try await shared.remove(Self.key)
    #expect(try await shared.load(Self.key) == nil)
    #expect(try await earlier.load(Self.key) == nil)
  }

  @Test("only one task at a time holds the lease")
  func lease() async throws {
    let holders = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await self.store.withLease(on: Self.key) {
            #expect(await holders.enter() == 1)
            await Task.yield()
            await holders.leave()
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
