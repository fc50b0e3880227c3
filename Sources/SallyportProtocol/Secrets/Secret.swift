/// A value that must not reach a log, an error text or a debugger's summary.
///
/// Printing, string interpolation and reflection show `<redacted>`; ``reveal()`` is the one way to the value, so that each
/// place which uses a secret can be found by its name. It is not `Codable`: whoever writes a secret down does so on purpose.
public struct Secret<Value: Sendable>: Sendable {
  private let value: Value

  public init(_ value: Value) {
    self.value = value
  }

  /// The value itself, to be used and not to be kept.
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
  /// Compares in time that depends on the lengths only.
  public static func == (lhs: Secret, rhs: Secret) -> Bool {
    constantTimeEqual(lhs.value.utf8, rhs.value.utf8)
  }
}

/// Whether two byte sequences are equal, in time that depends on their lengths only.
package func constantTimeEqual(_ lhs: some Collection<UInt8>, _ rhs: some Collection<UInt8>) -> Bool {
  // As arrays, so that the loop is compiled for one type whatever was given.
  let (lhs, rhs) = (Array(lhs), Array(rhs))
  guard lhs.count == rhs.count else { return false }
  var difference: UInt8 = 0
  for index in lhs.indices { difference |= lhs[index] ^ rhs[index] }
  return difference == 0
}
