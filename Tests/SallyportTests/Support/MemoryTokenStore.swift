import Sallyport
import SallyportProtocol
import Synchronization
import TestSupport

/// A store in memory with exclusive leases. Two clients with the same store behave like two processes.
final class MemoryTokenStore: TokenStore {
  private struct State {
    var values: [TokenStoreKey: [UInt8]] = [:]
    var held: Set<TokenStoreKey> = []
    var waiting: [TokenStoreKey: [Gate]] = [:]
    var saveError: TokenStoreError?
    var loadError: TokenStoreError?
  }

  private let state = Mutex(State())

  /// The error that ``save(_:for:)`` throws, or `nil` for none.
  var saveError: TokenStoreError? {
    get { self.state.withLock { $0.saveError } }
    set { self.state.withLock { $0.saveError = newValue } }
  }
  var loadError: TokenStoreError? {
    get { self.state.withLock { $0.loadError } }
    set { self.state.withLock { $0.loadError = newValue } }
  }

  var heldLeases: Set<TokenStoreKey> { self.state.withLock { $0.held } }
  var keys: Set<TokenStoreKey> { self.state.withLock { Set($0.values.keys) } }
  /// All stored values as text.
  var texts: [String] { self.state.withLock { $0.values.values.map { String(decoding: $0, as: UTF8.self) } } }

  /// Returns a store with the same values, as if the process ended now.
  func copy() -> MemoryTokenStore {
    let copy = MemoryTokenStore()
    let values = self.state.withLock { $0.values }
    copy.state.withLock { $0.values = values }
    return copy
  }

  func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
    if let error = self.loadError { throw error }
    return self.state.withLock { $0.values[key] }.map { Secret($0) }
  }

  func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
    if let error = self.saveError { throw error }
    self.state.withLock { $0.values[key] = value.reveal() }
  }

  func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
    self.state.withLock { $0.values[key] = nil }
  }

  func withLease<R: Sendable>(
    on key: TokenStoreKey, _ body: @Sendable () async throws -> R
  ) async throws -> R {
    while let gate = self.gateUnlessFree(key) { await gate.wait() }
    defer { self.free(key) }
    return try await body()
  }

  private func gateUnlessFree(_ key: TokenStoreKey) -> Gate? {
    self.state.withLock { state in
      if state.held.insert(key).inserted { return nil }
      let gate = Gate()
      state.waiting[key, default: []].append(gate)
      return gate
    }
  }

  private func free(_ key: TokenStoreKey) {
    let gates = self.state.withLock { state in
      state.held.remove(key)
      return state.waiting.removeValue(forKey: key) ?? []
    }
    for gate in gates { gate.open() }
  }
}
