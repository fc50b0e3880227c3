/// The random number generator of Steele, Lea, and Flood. The same seed gives the same history on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    self.state = seed
  }

  mutating func next() -> UInt64 {
    self.state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = self.state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension RandomNumberGenerator {
  /// Returns true with a probability of 1 in `count`.
  mutating func once(in count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }

  /// Returns one of the values, with probabilities proportional to their weights.
  mutating func pick<Value>(_ weighted: [(weight: Int, value: Value)]) -> Value {
    var remaining = Int.random(in: 0..<weighted.reduce(0) { $0 + $1.weight }, using: &self)
    for (weight, value) in weighted {
      if remaining < weight { return value }
      remaining -= weight
    }
    preconditionFailure("the number is less than the sum of the weights")
  }
}
