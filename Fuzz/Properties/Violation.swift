/// A property that an input violates. A violation stops the fuzzer, and fails the test that replays the stored inputs.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  init(of property: String) {
    self.description = property
  }
}

/// Throws a ``Violation`` if a property doesn't hold.
/// - Parameter property: The property, as a sentence.
func require(_ holds: Bool, _ property: String) throws(Violation) {
  guard holds else { throw Violation(of: property) }
}

/// Returns the value, or throws a ``Violation`` if there is none.
func require<Value>(_ value: Value?, _ property: String) throws(Violation) -> Value {
  guard let value else { throw Violation(of: property) }
  return value
}
