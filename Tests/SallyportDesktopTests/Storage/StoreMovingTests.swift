import SallyportProtocol
import Synchronization
import Testing

@testable import Sallyport
@testable import SallyportDesktop

/// Tests that sessions move to an app's store. Preview releases before version 0.1 stored the sessions of all programs
/// in one shared store.
@Suite("Sessions of previews before version 0.1")
struct StoreMovingTests {
  private let home = TemporaryFolder()
  private let issuer: Issuer

  init() throws {
    self.issuer = try Issuer("https://issuer.example")
  }

  @Test(
    """
    when an app loads one session of a client, all sessions of this client move from the shared store to the app's \
    store, together with their entries in the list of sessions
    """)
  func moves() async throws {
    for account in [nil, "work"] { try await self.storeAsBefore("notes", account) }
    try await self.storeAsBefore("mail")
    let events = Mutex<[PlatformTokenStore.Event]>([])
    let notes = PlatformTokenStore(application: "com.example.notes", environment: self.environment) { event in
      events.withLock { $0.append(event) }
    }
    #expect(try await notes.load(self.key("notes"))?.reveal() == Array("notes".utf8))
    #expect(try await notes.storedSessions() == [self.session("notes"), self.session("notes", "work")])
    #expect(try await notes.load(self.key("notes", "work"))?.reveal() == Array("notes".utf8))
    #expect(events.withLock { $0 }.last == .movedSessions(clientID: "notes"))
    #expect(try await self.sharedStore.storedSessions() == [self.session("mail")])
    #expect(try await self.sharedStore.load(self.key("notes")) == nil)

    let mail = self.store("com.example.mail")
    #expect(try await mail.load(self.key("notes")) == nil)
    #expect(try await mail.load(self.key("mail"))?.reveal() == Array("mail".utf8))
    #expect(try await notes.load(self.key("notes")) != nil)
  }

  @Test("apps with different names do not see each other's sessions, even of the same client")
  func separate() async throws {
    let one = self.store("com.example.one")
    try await one.save(Secret([1]), for: self.key("notes"))
    #expect(try await self.store("com.example.two").load(self.key("notes")) == nil)
    #expect(try await self.store(.sallyport).load(self.key("notes")) == nil)
  }

  @Test("a session that was signed out, or replaced, does not come back from the shared store")
  func removed() async throws {
    try await self.storeAsBefore("notes")
    try await self.storeAsBefore("mail")
    let app = self.store("com.example.notes")
    try await app.remove(self.key("notes"))
    #expect(try await app.load(self.key("notes")) == nil)
    try await app.save(Secret([2]), for: self.key("mail"))
    #expect(try await app.load(self.key("mail"))?.reveal() == [2])
    try await app.remove(self.key("mail"))
    #expect(try await app.load(self.key("mail")) == nil)
  }

  @Test("if several tasks load a value at the same time, each gets the value, and the move is reported once")
  func concurrentMoves() async throws {
    try await self.storeAsBefore("notes")
    let events = Mutex<[PlatformTokenStore.Event]>([])
    let app = PlatformTokenStore(application: "com.example.notes", environment: self.environment) { event in
      events.withLock { $0.append(event) }
    }
    let key = self.key("notes")
    let values = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      for _ in 0..<20 { group.addTask { try await app.load(key)?.reveal() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(values == Array(repeating: Array("notes".utf8), count: 20))
    #expect(events.withLock { $0 }.count { $0 == .movedSessions(clientID: "notes") } == 1)
  }

  @Test("C-22: a value that moves to the app's store between the two steps of a load is found")
  func movedDuringLoad() async throws {
    try await self.storeAsBefore("notes")
    try await self.storeAsBefore("mail")
    let app = self.store("com.example.notes")
    // The first step of a load finds no value in the app's store.
    #expect(try await app.load(self.key("notes")) != nil)
    // The second step looks in the shared store, which no longer has the value.
    #expect(try await app.move(self.key("notes"))?.reveal() == Array("notes".utf8))
    #expect(try await app.move(self.key("other")) == nil)
  }

  @Test("removing a value fails if the shared store cannot remove it, but not if the shared store cannot be read")
  func failedRemoval() async throws {
    await #expect(throws: TokenStoreError.self) {
      try await FailingTokenStore(readableValue: Secret([1])).removeUnlessUnreadable(self.key("notes"))
    }
    try await FailingTokenStore(readableValue: nil).removeUnlessUnreadable(self.key("notes"))
  }

  @Test("the list of accounts moves only to the store of the sallyport command, not to the store of another program")
  func accounts() async throws {
    let key = TokenStoreKey(kind: "accounts", issuer: "", clientID: "")
    try await self.sharedStore.save(Secret([1]), for: key)
    #expect(try await self.store("com.example.notes").load(key) == nil)
    #expect(try await self.store(.sallyport).load(key)?.reveal() == [1])
    #expect(try await self.sharedStore.load(key) == nil)
  }

  @Test("a value moves even if the app loads it while holding its lease, or after removing the session from the app's own list")
  func otherMoves() async throws {
    try await self.storeAsBefore("notes")
    let app = self.store("com.example.notes")
    // A sign-in holds the lease of the key while it loads the value.
    let value = try await app.withLease(on: self.key("notes")) { try await app.load(self.key("notes")) }
    #expect(value != nil)
    // The app's list of sessions changes before the app loads the value, which is still in the shared store.
    try await self.storeAsBefore("mail")
    try await SessionIndex(store: app).add(self.session("mail"))
    try await SessionIndex(store: app).remove(self.session("mail"))
    #expect(try await app.load(self.key("mail")) != nil)
  }

  private var environment: Environment { Environment(["HOME": self.home.path]) }
  private var sharedStore: PlatformTokenStore { self.store(.sharedInPreviews) }

  private func store(_ name: ApplicationName) -> PlatformTokenStore {
    PlatformTokenStore(application: name, environment: self.environment)
  }

  private func session(_ clientID: String, _ account: String? = nil) -> StoredSession {
    StoredSession(issuer: self.issuer, clientID: clientID, account: account)
  }

  private func key(_ clientID: String, _ account: String? = nil) -> TokenStoreKey { self.session(clientID, account).key }

  /// Stores a session in the shared store, as previews did.
  private func storeAsBefore(_ clientID: String, _ account: String? = nil) async throws {
    try await self.sharedStore.save(Secret(Array(clientID.utf8)), for: self.key(clientID, account))
    try await SessionIndex(store: self.sharedStore).add(self.session(clientID, account))
  }
}

/// A store whose values cannot be written or removed.
private struct FailingTokenStore: TokenStore {
  /// The value of every key, or `nil` if reading fails too.
  let readableValue: Secret<[UInt8]>?

  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    guard let value = self.readableValue else { throw .failed(reason: "cannot read") }
    return value
  }

  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    throw .failed(reason: "cannot write")
  }

  func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    throw .failed(reason: "cannot remove")
  }

  func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    try await body()
  }
}
