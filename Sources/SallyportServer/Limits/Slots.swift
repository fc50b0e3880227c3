/// The slots for operations that run at the same time, such as requests to one upstream.
struct Slots: Sendable {
  private let count: Int
  private(set) var taken = 0

  /// - Parameter count: The maximum number of operations at a time.
  init(_ count: Int) {
    self.count = count
  }

  var isFree: Bool { self.taken < self.count }

  /// Takes a slot, if one is free.
  mutating func take() -> Bool {
    guard self.isFree else { return false }
    self.taken += 1
    return true
  }

  mutating func release() {
    self.taken -= 1
  }
}
