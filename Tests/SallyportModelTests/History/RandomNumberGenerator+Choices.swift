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
