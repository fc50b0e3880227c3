import Synchronization

/// The time that one request may spend waiting for its store, in all its reads and writes together.
///
/// A request can read and write several times. Without this limit, each call to a store that does not respond would
/// wait until the store's own deadline. Time that the request spends elsewhere, for example while its password is
/// checked, does not count.
package final class StoreTime: Sendable {
  /// The limit of the current request; nil outside of requests.
  @TaskLocal package static var current: StoreTime?

  private let remainder: Mutex<Duration>

  package init(_ limit: Duration) {
    self.remainder = Mutex(limit)
  }

  /// How long the next call may wait. Zero or less if no time is left.
  package var remaining: Duration { self.remainder.withLock { $0 } }

  package func spend(_ duration: Duration) {
    self.remainder.withLock { $0 -= duration }
  }
}
