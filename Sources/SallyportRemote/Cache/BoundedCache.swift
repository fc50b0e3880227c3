/// A dictionary that never grows beyond its capacity: two generations, of which the older one is dropped whole when the younger one is
/// full. What is used stays; nothing is ever scanned.
package struct BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let half: Int
  private var young: [Key: Value] = [:]
  private var old: [Key: Value] = [:]

  /// - Parameter capacity: values kept at the most; at least 2.
  package init(capacity: Int) {
    self.half = max(1, capacity / 2)
  }

  package var count: Int { self.young.count + self.old.count }

  /// The value, which counts as used.
  package mutating func value(for key: Key) -> Value? {
    if let value = self.young[key] { return value }
    guard let value = self.old.removeValue(forKey: key) else { return nil }
    self.insert(value, for: key)
    return value
  }

  package mutating func insert(_ value: Value, for key: Key) {
    self.old.removeValue(forKey: key)
    if self.young.count >= self.half, self.young[key] == nil {
      self.old = self.young
      self.young = [:]
    }
    self.young[key] = value
  }

  package mutating func remove(_ key: Key) {
    self.young.removeValue(forKey: key)
    self.old.removeValue(forKey: key)
  }
}
