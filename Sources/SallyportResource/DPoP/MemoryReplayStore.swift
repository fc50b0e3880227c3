public import SallyportProtocol
import Synchronization

/// Records the DPoP proofs that one process has received, so that none is accepted twice. If the store is full, new
/// proofs are rejected until some of the recorded proofs have expired and are removed.
public final class MemoryReplayStore: DPoPReplayStore {
  /// The store is full.
  public struct Full: Error, CustomStringConvertible {
    /// The maximum number of proofs.
    let capacity: Int

    public var description: String {
      "The replay store is full. Create it with a capacity of more than \(self.capacity) proofs."
    }
  }

  /// Marks that expire at about the same time. They are removed together, so that no operation scans them.
  private struct Generation {
    /// The first 16 bytes of each mark. A mark is a SHA-256 hash of the proof's key and identifier, so 16 bytes suffice
    /// to make collisions infeasible.
    var marks: Set<Mark> = []
    /// When the last of the recorded proofs expires.
    var expiration: Timestamp
  }

  private struct State {
    /// The generations by the number of their interval of expiration times.
    var generations: [Int64: Generation] = [:]
    var count = 0

    mutating func removeExpired(at now: Timestamp) {
      for (number, generation) in self.generations where generation.expiration < now {
        self.generations[number] = nil
        self.count -= generation.marks.count
      }
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

  /// The length of the intervals of expiration times whose marks form a generation, in seconds.
  private static let interval: Int64 = 10

  private let capacity: Int
  private let now: TimeSource
  private let state = Mutex(State())

  /// Creates an empty store.
  /// - Parameter capacity: The maximum number of proofs. Each proof takes about 50 bytes, and is kept until it expires,
  ///   and for at most ten seconds after that. Proofs expire 90 seconds after they were made, or 270 seconds if nonces
  ///   are required, unless the maximum age of proofs or the tolerated clock difference is configured.
  public init(capacity: Int = 500_000, now: @escaping TimeSource = Timestamp.now) {
    self.capacity = capacity
    self.now = now
  }

  public func use(_ mark: [UInt8], until expiration: Timestamp) async throws -> Bool {
    let (mark, now) = (Mark(mark), self.now())
    return try self.state.withLock { state in
      state.removeExpired(at: now)
      guard !state.generations.values.contains(where: { $0.marks.contains(mark) }) else { return false }
      guard state.count < self.capacity else { throw Full(capacity: self.capacity) }
      let number = expiration.seconds / Self.interval
      var generation = state.generations.removeValue(forKey: number) ?? Generation(expiration: expiration)
      generation.marks.insert(mark)
      generation.expiration = max(generation.expiration, expiration)
      state.generations[number] = generation
      state.count += 1
      return true
    }
  }
}
