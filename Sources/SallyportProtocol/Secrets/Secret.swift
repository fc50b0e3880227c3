/// A value that must not appear in logs, error messages, or debugger summaries.
///
/// Printing and string interpolation show `<redacted>`, and reflection shows no value. Only ``reveal()`` returns the
/// value, so every use of a secret can be found by that name. The type is not `Codable`, so that encoding a secret is
/// always explicit.
public struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  /// Creates a secret.
  /// - Parameter value: The value to protect.
  public init(_ value: Value) {
    self.value = value
  }

  /// Returns the value. Use it immediately and do not keep it.
  public func reveal() -> Value {
    self.value
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable where Value == String {
  /// Compares in a time that depends only on the lengths.
  public static func == (lhs: Secret, rhs: Secret) -> Bool {
    constantTimeEqual(lhs.value.utf8, rhs.value.utf8)
  }
}

/// Whether two byte sequences are equal, determined in a time that depends only on their lengths.
package func constantTimeEqual(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Bool {
  // Convert to arrays, so that the loop is compiled for one type.
  let (lhs, rhs) = (Array(lhs), Array(rhs))
  guard lhs.count == rhs.count else { return false }
  var difference: UInt8 = 0
  for index in lhs.indices { difference |= lhs[index] ^ rhs[index] }
  return difference == 0
}
