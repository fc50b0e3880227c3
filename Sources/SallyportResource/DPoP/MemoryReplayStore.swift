public import SallyportProtocol
import Synchronization

/// Records the DPoP proofs that one process has received, so that none is accepted twice. If the store is full, new
/// proofs are rejected until some of the recorded proofs have expired and are removed.
public final class MemoryReplayStore: DPoPReplayStore {
  /// The store is full.
  public struct Full: Error {}

  /// Marks that are removed together, so that no operation scans them.
  private struct Generation {
    /// The first 16 bytes of each mark. A mark is a SHA-256 hash of the proof's key and identifier, so 16 bytes suffice
    /// to make collisions infeasible.
    var marks: Set<Mark> = []
    /// When the last of the recorded proofs expires, or `nil` if the generation is empty.
    var expiration: Timestamp?

    func hasExpired(at now: Timestamp) -> Bool { self.expiration.map { $0 < now } ?? true }
  }

  /// When all proofs of the older generation have expired, the younger generation replaces it.
  private struct State {
    var young = Generation()
    var old = Generation()

    mutating func removeExpired(at now: Timestamp) {
      guard self.old.hasExpired(at: now) else { return }
      self.old = self.young.hasExpired(at: now) ? Generation() : self.young
      self.young = Generation()
    }
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
  private let state = Mutex(State())

  /// Creates an empty store.
  /// - Parameter capacity: The maximum number of proofs. Each proof takes about 50 bytes, and is kept until the proofs
  ///   that arrived at about the same time have expired, which takes at most twice the time in which a proof is
  ///   accepted.
  public init(capacity: Int = 500_000, now: @escaping TimeSource = Timestamp.now) {
    self.capacity = capacity
    self.now = now
  }

  public func use(_ mark: [UInt8], until expiration: Timestamp) async throws -> Bool {
    let (mark, now) = (Mark(mark), self.now())
    return try self.state.withLock { state in
      state.removeExpired(at: now)
      guard !state.young.marks.contains(mark), !state.old.marks.contains(mark) else { return false }
      guard state.young.marks.count + state.old.marks.count < self.capacity else { throw Full() }
      state.young.marks.insert(mark)
      state.young.expiration = max(state.young.expiration ?? expiration, expiration)
      return true
    }
  }
}
