public import SallyportProtocol
import Synchronization

/// Records the proofs that one process has received. If the store is full, new proofs are rejected until some have
/// expired and are removed.
public final class MemoryReplayStore: DPoPReplayStore {
  /// The store is full.
  public struct Full: Error {}

  private struct State {
    /// When each proof expires, by the first 16 bytes of its mark. A mark is a SHA-256 hash of the proof's key and
    /// identifier, so 16 bytes suffice to make collisions infeasible.
    var marks: [Mark: Timestamp] = [:]
    var sweptAt: Timestamp
  }

  private struct Mark: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ bytes: [UInt8]) {
      func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      self.high = number(bytes.prefix(8))
      self.low = number(bytes.dropFirst(8).prefix(8))
    }
  }

  private let capacity: Int
  private let now: TimeSource
  private let state: Mutex<State>

  /// The time between two removals of expired marks.
  private static let sweepInterval: Duration = .seconds(10)

  /// Creates an empty store.
  /// - Parameter capacity: The maximum number of proofs. Each one takes about 50 bytes and is kept until it expires.
  public init(capacity: Int = 500_000, now: @escaping TimeSource = Timestamp.now) {
    self.capacity = capacity
    self.now = now
    self.state = Mutex(State(sweptAt: now()))
  }

  public func use(_ mark: [UInt8], until expiration: Timestamp) async throws -> Bool {
    let (mark, now) = (Mark(mark), self.now())
    return try self.state.withLock { state in
      let age = now - state.sweptAt
      if age < .zero || age >= Self.sweepInterval {
        state.marks = state.marks.filter { now <= $0.value }
        state.sweptAt = now
      }
      guard state.marks[mark] == nil else { return false }
      guard state.marks.count < self.capacity else { throw Full() }
      state.marks[mark] = expiration
      return true
    }
  }
}
