/// The parameters of a query or of an `application/x-www-form-urlencoded` body, each present at most once.
///
/// The one exception is what its own specification lets be repeated (`resource`, RFC 8707 §2); whoever reads it says so.
///
/// RFC 6749 §3.1 and §3.2: a parameter without a value counts as omitted, and none may be given twice. A value of this type
/// therefore cannot hold an ambiguity: whoever looks a parameter up sees what everybody else sees.
public struct FormParameters: Sendable {
  /// In their order, each with a value, and a name twice only where it may be repeated.
  private var parameters: [(name: String, value: String)] = []

  public init() {}

  /// Parameters that were read elsewhere; one without a value counts as omitted, and of one that stands twice the first value counts.
  /// - Parameter repeatable: the names of which all values count.
  package init(_ parameters: [(name: String, value: String)], repeatable: Set<String> = []) {
    var list = ParameterList(repeatable: repeatable)
    for (name, value) in parameters where !value.isEmpty { list.append(name, value) }
    self.parameters = list.parameters
  }

  /// Parses the encoded text.
  /// - Parameter repeatable: the names that may stand more than once.
  /// - Throws: ``FormError`` for a repeated parameter, a broken percent-encoding or text that is not UTF-8.
  public init(parsing encoded: some StringProtocol, repeatable: Set<String> = []) throws(FormError) {
    let (form, repeated) = try Self.collectingRepeated(parsing: encoded, repeatable: repeatable)
    if let name = repeated.min() { throw .repeated(name) }
    self = form
  }

  /// Parses the encoded text and names what is repeated, for an endpoint that can still tell the client so. Of a repeated
  /// parameter the first value is kept; it must not be used for anything but that answer.
  /// - Throws: ``FormError/malformed``
  package static func collectingRepeated(
    parsing encoded: some StringProtocol, repeatable: Set<String> = []
  ) throws(FormError) -> (form: FormParameters, repeated: Set<String>) {
    var text = String(encoded)
    guard let list = text.withUTF8({ ParameterList(reading: $0, repeatable: repeatable) }) else { throw .malformed }
    var form = FormParameters()
    form.parameters = list.parameters
    // Only now: a name that stood without a value has stood.
    form.parameters.removeAll(where: \.value.isEmpty)
    return (form, list.repeated)
  }

  /// The value of a parameter; nil where it is absent or empty.
  public subscript(name: String) -> String? {
    self.parameters.first { $0.name == name }?.value
  }

  /// All values of a parameter that may be repeated, in their order; of another one its only value.
  public func values(of name: String) -> [String] {
    self.parameters.filter { $0.name == name }.map(\.value)
  }

  /// All parameters present, in their order.
  package var all: [(name: String, value: String)] { self.parameters }

  /// The names of all parameters present, in no particular order.
  public var names: some Collection<String> { Set(self.parameters.map(\.name)) }

  /// The encoded text of the given parameters, in their order.
  public static func encode(_ parameters: [(name: String, value: String)]) -> String {
    self.encode(parameters, after: "")
  }

  /// The encoded text of the given parameters, in their order, behind another text.
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

/// Why form-encoded text was refused.
public enum FormError: Error, Equatable, Sendable {
  /// The named parameter stands more than once.
  case repeated(String)
  /// A broken percent-encoding, or text that is not UTF-8.
  case malformed
}
