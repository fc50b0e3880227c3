package import HTTPTypes

extension HTTPField.Name {
  /// Creates a field name from a literal. The program stops if the literal is not a token (RFC 9110 §5.1).
  package static func known(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name("\(name)") else { preconditionFailure("'\(name)' is not a field name") }
    return name
  }
}
