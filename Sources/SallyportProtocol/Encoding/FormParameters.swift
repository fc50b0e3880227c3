/// The parameters of a query or of an `application/x-www-form-urlencoded` body, each present at most once.
///
/// RFC 6749 §3.1 and §3.2: a parameter without a value counts as omitted, and none may be given twice. A value of this type
/// therefore cannot hold an ambiguity: whoever looks a parameter up sees what everybody else sees.
public struct FormParameters: Sendable {
  private var values: [String: String]

  public init() {
    self.values = [:]
  }

  /// Parameters that were read elsewhere; empty values count as omitted.
  package init(_ values: [String: String]) {
    self.values = values.filter { !$0.value.isEmpty }
  }

  /// Parses the encoded text.
  /// - Throws: ``FormError`` for a repeated parameter, a broken percent-encoding or text that is not UTF-8.
  public init(parsing encoded: some StringProtocol) throws(FormError) {
    let (form, repeated) = try Self.collectingRepeated(parsing: encoded)
    if let name = repeated.min() { throw .repeated(name) }
    self = form
  }

  /// The one parameter that may stand several times, RFC 8707 §2: its values are kept with a space between, which no URI has.
  private static let repeatable = "resource"

  /// Parses the encoded text and names what is repeated, for an endpoint that can still tell the client so. Of a repeated
  /// parameter the first value is kept; it must not be used for anything but that answer.
  /// - Throws: ``FormError/malformed``
  package static func collectingRepeated(
    parsing encoded: some StringProtocol
  ) throws(FormError) -> (form: FormParameters, repeated: Set<String>) {
    var form = FormParameters()
    var repeated: Set<String> = []
    // An array, so that what follows is compiled for one type whatever text was given.
    for pair in Array(encoded.utf8).split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decodeForm(parts[0]),
        let value = parts.count == 2 ? PercentEncoding.decodeForm(parts[1]) : ""
      else { throw .malformed }
      if name == Self.repeatable {
        guard !value.utf8.contains(UInt8(ascii: " ")) else { throw .malformed }
        form.values[name, default: ""] += form.values[name]?.isEmpty ?? true ? value : " \(value)"
      } else if form.values[name] == nil {
        form.values[name] = value
      } else {
        repeated.insert(name)
      }
    }
    form.values = form.values.filter { !$0.value.isEmpty }
    return (form, repeated)
  }

  /// The value of a parameter; nil where it is absent or empty.
  public subscript(name: String) -> String? {
    self.values[name]
  }

  /// The values of a parameter that may stand several times.
  package func list(_ name: String) -> [String] {
    self.values[name]?.split(separator: " ").map(String.init) ?? []
  }

  /// All parameters present, in no particular order.
  package var all: [(name: String, value: String)] { self.values.map { ($0.key, $0.value) } }

  /// The names of all parameters present, in no particular order.
  public var names: some Collection<String> { self.values.keys }

  /// The encoded text of the given parameters, in their order.
  public static func encode(_ parameters: [(name: String, value: String)]) -> String {
    parameters.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
  }
}

/// Why form-encoded text was refused.
public enum FormError: Error, Equatable, Sendable {
  /// The named parameter stands more than once.
  case repeated(String)
  /// A broken percent-encoding, or text that is not UTF-8.
  case malformed
}
