import SallyportServer

/// A store's violation of a rule in ``StoreConformance``.
public struct ConformanceFailure: Error, CustomStringConvertible {
  public let description: String

  init(_ expectation: String, fileID: String, line: Int) {
    self.description = "\(expectation) (\(fileID):\(line))"
  }
}

/// Expects a condition to be true.
/// - Parameter expectation: What must be true, as a sentence.
func expect(
  _ condition: Bool, _ expectation: @autoclosure () -> String, fileID: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
  guard condition else { throw ConformanceFailure(expectation(), fileID: fileID, line: line) }
}

/// Expects two values to be equal.
/// - Parameter name: What the value is.
func expect<Value: Equatable>(
  _ value: Value, is expected: Value, _ name: @autoclosure () -> String, fileID: String = #fileID, line: Int = #line
) throws(ConformanceFailure) {
  try expect(
    value == expected, "\(name()): found \(value), expected \(expected)", fileID: fileID, line: line)
}

/// Expects `operation` to throw `expected`.
/// - Parameter name: What is wrong with the operation, or what it does.
func expectError(
  _ expected: StoreError, _ name: @autoclosure () -> String, fileID: String = #fileID, line: Int = #line,
  _ operation: () async throws -> Void
) async throws {
  do {
    try await operation()
  } catch let error as StoreError {
    return try expect(error, is: expected, name(), fileID: fileID, line: line)
  }
  throw ConformanceFailure("\(name()): expected the error \(expected), but there was none", fileID: fileID, line: line)
}

/// Like ``expect(_:_:fileID:line:)``, but for the body of a transaction or a read, which can throw only a
/// ``StoreError``.
func check(_ condition: Bool, _ expectation: @autoclosure () -> String) throws(StoreError) {
  guard condition else { throw .unavailable(reason: "expectation not met: \(expectation())") }
}
