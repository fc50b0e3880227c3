public import Sallyport
public import SallyportProtocol
import Synchronization

/// A token store in memory, for unit tests and previews.
///
/// A lease (``withLease(on:_:)``) gives one caller at a time the right to change a value, as in a real store. Two
/// clients that share a store therefore behave like two processes of an app. A test can make loading and saving fail.
///
/// ```swift
/// let store = MemoryTokenStore()
/// store.saveError = .unavailable(reason: "the keychain is locked")
/// ```
public final class MemoryTokenStore: TokenStore {
  private struct State {
    var values: [TokenStoreKey: [UInt8]] = [:]
    var saveError: TokenStoreError?
    var loadError: TokenStoreError?
  }

  private let state: Mutex<State>
  private let leases = LeaseQueue()

  /// Creates an empty store.
  public init() {
    self.state = Mutex(State())
  }

  private init(_ values: [TokenStoreKey: [UInt8]]) {
    self.state = Mutex(State(values: values))
  }

  /// The error that ``save(_:for:)`` throws, or `nil` for none.
  public var saveError: TokenStoreError? {
    get { self.state.withLock { $0.saveError } }
    set { self.state.withLock { $0.saveError = newValue } }
  }

  /// The error that ``load(_:)`` throws, or `nil` for none.
  public var loadError: TokenStoreError? {
    get { self.state.withLock { $0.loadError } }
    set { self.state.withLock { $0.loadError = newValue } }
  }

  /// Returns another store with the same values. Use it to simulate an app that is terminated now and started again.
  public func copy() -> MemoryTokenStore {
    MemoryTokenStore(self.state.withLock { $0.values })
  }

  /// The keys of all stored values.
  package var keys: Set<TokenStoreKey> { self.state.withLock { Set($0.values.keys) } }
  /// All stored values as text.
  package var texts: [String] { self.state.withLock { $0.values.values.map { String(decoding: $0, as: UTF8.self) } } }
  /// The keys whose leases are held.
  package var heldLeases: Set<TokenStoreKey> { self.leases.held }

  /// Stores the tokens of a session synchronously.
  func add(_ tokenSet: TokenSet) {
    self.state.withLock { state in
      let newValues = tokenSet.storedValues { state.values[$0].map { Secret($0) } }
      state.values.merge(newValues.mapValues { $0.reveal() }) { $1 }
    }
  }

  public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    if let error = self.loadError { throw error }
    return self.state.withLock { $0.values[key] }.map { Secret($0) }
  }

  public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    if let error = self.saveError { throw error }
    self.state.withLock { $0.values[key] = value.reveal() }
  }

  public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    self.state.withLock { $0.values[key] = nil }
  }

  public func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    try await self.leases.acquire(key)
    defer { self.leases.release(key) }
    return try await body()
  }
}
