import SallyportRemote
import Testing

@Suite("Bounded cache")
struct BoundedCacheTests {
  @Test("the cache never exceeds its capacity", arguments: [2, 10, 1000])
  func bounded(capacity: Int) {
    var cache = BoundedCache<Int, Int>(capacity: capacity)
    for number in 0..<(5 * capacity) {
      cache.insert(number, for: number)
      #expect(cache.count <= capacity)
    }
    #expect(cache.value(for: 5 * capacity - 1) == 5 * capacity - 1)
    #expect(cache.value(for: 0) == nil)
  }

  @Test("used values stay, and unused values are evicted")
  func keepsUsed() {
    var cache = BoundedCache<Int, String>(capacity: 10)
    cache.insert("used", for: -1)
    cache.insert("idle", for: -2)
    for number in 0..<100 {
      cache.insert("other", for: number)
      #expect(cache.value(for: -1) == "used")
    }
    #expect(cache.value(for: -2) == nil)
  }

  @Test("recent and older values can be replaced and removed")
  func replaces() {
    var cache = BoundedCache<Int, String>(capacity: 4)
    for number in 0..<3 { cache.insert("first", for: number) }
    for number in 0..<3 { cache.insert("second", for: number) }
    #expect(cache.value(for: 2) == "second")
    // The cache may have evicted `second`, but must not return `first`.
    #expect(cache.value(for: 0) != "first")
    for number in 0..<3 { cache.remove(number) }
    #expect(cache.count == 0)
  }
}
