/// A property that does not hold for an input: what a fuzzer stops for, and what a replay reports.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// - Parameter property: what holds, as a sentence.
func require(_ holds: Bool, _ property: String) throws(Violation) {
  guard holds else { throw Violation(property) }
}

/// - Returns: the value, where the property says that there is one.
func require<Value>(_ value: Value?, _ property: String) throws(Violation) -> Value {
  guard let value else { throw Violation(property) }
  return value
}
