import HTTPTypes

extension HTTPFields {
  /// The value of a field as the library's own subscript gives it, those of a field that stands several times joined by commas (RFC 9110
  /// §5.3); here in one pass and without a sequence of sequences.
  func value(of name: HTTPField.Name) -> String? {
    var value: String?
    for field in self where field.name == name {
      value = value.map { "\($0), \(field.value)" } ?? field.value
    }
    return value
  }
}
