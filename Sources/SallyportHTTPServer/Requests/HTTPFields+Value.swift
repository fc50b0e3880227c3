package import HTTPTypes

extension HTTPFields {
  /// Returns the value of a field. The values of a repeated field are joined with commas (RFC 9110 §5.3).
  ///
  /// Returns the same value as the subscript of `HTTPFields`, except for a repeated `Cookie` field, whose values the
  /// subscript joins with semicolons. Takes one pass, and allocates nothing for a field that occurs once.
  package func value(of name: HTTPField.Name) -> String? {
    var value: String?
    for field in self where field.name == name {
      value = value.map { "\($0), \(field.value)" } ?? field.value
    }
    return value
  }
}
