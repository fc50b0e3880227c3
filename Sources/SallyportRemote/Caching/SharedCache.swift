package import Synchronization

/// A ``BoundedCache`` that concurrent callers share.
package final class SharedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline package let entries: Mutex<BoundedCache<Key, Value>>

  /// - Parameter capacity: The maximum number of values, at least 2.
  package init(capacity: Int) {
    self.entries = Mutex(BoundedCache(capacity: capacity))
  }

  /// The value of the key. Reading the value marks it as used, and setting `nil` removes the value.
  @inlinable package subscript(key: Key) -> Value? {
    get { self.entries.withLock { $0.value(for: key) } }
    set {
      self.entries.withLock { entries in
        if let newValue { entries.insert(newValue, for: key) } else { entries.remove(key) }
      }
    }
  }
}
