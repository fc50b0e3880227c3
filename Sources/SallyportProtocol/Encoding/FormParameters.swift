/// The parameters of a query or of an `application/x-www-form-urlencoded` body.
///
/// A parameter without a value counts as omitted, and no parameter may occur twice (RFC 6749 §3.1, §3.2), so all code
/// that looks up a parameter finds the same value. The caller names the exceptions, such as `resource` (RFC 8707 §2).
package struct FormParameters: Sendable {
  /// The parameters in their original order, each with a value. Only repeatable names can occur more than once.
  private var parameters: [(name: String, value: String)] = []

  /// Creates an empty list.
  package init() {}

  /// Creates a list of parameters that were parsed elsewhere. Parameters without a value are omitted, and only the
  /// first value of a repeated parameter is kept.
  /// - Parameter repeatable: The names whose values are all kept.
  package init(_ parameters: [(name: String, value: String)], repeatable: Set<String> = []) {
    var list = ParameterList(repeatable: repeatable)
    for (name, value) in parameters where !value.isEmpty { list.append(name, value) }
    self.parameters = list.parameters
  }

  /// Parses encoded text.
  /// - Parameter repeatable: The names that may occur more than once.
  /// - Throws: ``FormError`` for a repeated parameter, invalid percent-encoding, a null character, or text that is not
  ///   UTF-8.
  package init(parsing encoded: some StringProtocol, repeatable: Set<String> = []) throws(FormError) {
    let (form, repeated) = try Self.collectingRepeated(parsing: encoded, repeatable: repeatable)
    if let name = repeated.min() { throw .repeated(name) }
    self = form
  }

  /// Parses encoded text and collects the names that are repeated, for endpoints that can still report the error to the
  /// client. Only the first value of a repeated parameter is kept. Use that value only for the error response.
  /// - Throws: ``FormError/malformed``
  package static func collectingRepeated(
    parsing encoded: some StringProtocol, repeatable: Set<String> = []
  ) throws(FormError) -> (form: FormParameters, repeated: Set<String>) {
    var text = String(encoded)
    guard let list = text.withUTF8({ ParameterList(reading: $0, repeatable: repeatable) }) else { throw .malformed }
    var form = FormParameters()
    form.parameters = list.parameters
    // Remove parameters without a value only after parsing, because they still count as occurrences of their names.
    form.parameters.removeAll(where: \.value.isEmpty)
    return (form, list.repeated)
  }

  /// The value of a parameter, or `nil` if it is absent or empty.
  package subscript(name: String) -> String? {
    self.parameters.first { $0.name == name }?.value
  }

  /// All values of a repeatable parameter in their original order. Any other parameter has at most one value.
  package func values(of name: String) -> [String] {
    self.parameters.filter { $0.name == name }.map(\.value)
  }

  /// All parameters in their original order.
  package var all: [(name: String, value: String)] { self.parameters }

  /// The names of all parameters, in no particular order.
  package var names: some Collection<String> { Set(self.parameters.map(\.name)) }

  /// Encodes parameters in the given order.
  package static func encode(_ parameters: [(name: String, value: String)]) -> String {
    self.encode(parameters, after: "")
  }

  /// Encodes parameters in the given order and appends them to `text`.
  static func encode(_ parameters: [(name: String, value: String)], after text: String) -> String {
    var bytes = Array(text.utf8)
    bytes.reserveCapacity(parameters.reduce(bytes.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 })
    for (index, parameter) in parameters.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "&")) }
      PercentEncoding.append(parameter.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      PercentEncoding.append(parameter.value, to: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Why form-encoded text was rejected.
package enum FormError: Error, Equatable, Sendable {
  /// The named parameter occurs more than once.
  case repeated(String)
  /// Invalid percent-encoding, a null character, or text that is not UTF-8.
  case malformed
}
