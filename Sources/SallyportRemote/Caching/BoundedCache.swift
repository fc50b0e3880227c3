/// A dictionary that never grows beyond its capacity.
///
/// The values belong to two generations. When the younger generation is full, it becomes the older one, and the values
/// of the previous older generation are dropped. A value that is read moves to the younger generation, so values that
/// are read often stay, and no operation scans the entries.
package struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  @usableFromInline let half: Int
  @usableFromInline var young: [Key: Value] = [:]
  @usableFromInline var old: [Key: Value] = [:]

  /// - Parameter capacity: The maximum number of values, at least 2.
  package init(capacity: Int) {
    self.half = max(1, capacity / 2)
  }

  package var count: Int { self.young.count + self.old.count }

  /// Returns the value and marks it as used.
  @inlinable package mutating func value(for key: Key) -> Value? {
    if let value = self.young[key] { return value }
    guard let value = self.old.removeValue(forKey: key) else { return nil }
    self.insert(value, for: key)
    return value
  }

  /// Adds or replaces the value of the key.
  @inlinable package mutating func insert(_ value: Value, for key: Key) {
    self.old.removeValue(forKey: key)
    if self.young.count >= self.half, self.young[key] == nil {
      self.old = self.young
      self.young = [:]
    }
    self.young[key] = value
  }

  @inlinable package mutating func remove(_ key: Key) {
    self.young.removeValue(forKey: key)
    self.old.removeValue(forKey: key)
  }
}
