/// The parameters of a query or of an `application/x-www-form-urlencoded` body, each present at most once.
///
/// The one exception is what its own specification lets be repeated (`resource`, RFC 8707 §2); whoever reads it says so.
///
/// RFC 6749 §3.1 and §3.2: a parameter without a value counts as omitted, and none may be given twice. A value of this type
/// therefore cannot hold an ambiguity: whoever looks a parameter up sees what everybody else sees.
public struct FormParameters: Sendable {
  private var values: [String: String]
  /// All values of those that may be repeated, in their order.
  private var lists: [String: [String]] = [:]

  public init() {
    self.values = [:]
  }

  /// Parameters that were read elsewhere; one without a value counts as omitted, and of one that stands twice the first value counts.
  /// - Parameter repeatable: the names of which all values count.
  package init(_ parameters: [(name: String, value: String)], repeatable: Set<String> = []) {
    self.init()
    for (name, value) in parameters where !value.isEmpty {
      if repeatable.contains(name) { self.lists[name, default: []].append(value) }
      if self.values[name] == nil { self.values[name] = value }
    }
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
    var form = FormParameters()
    var repeated: Set<String> = []
    // An array, so that what follows is compiled for one type whatever text was given.
    for pair in Array(encoded.utf8).split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decodeForm(parts[0]),
        let value = parts.count == 2 ? PercentEncoding.decodeForm(parts[1]) : ""
      else { throw .malformed }
      if repeatable.contains(name) {
        if !value.isEmpty { form.lists[name, default: []].append(value) }
        if form.values[name] ?? "" == "" { form.values[name] = value }
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

  /// All values of a parameter that may be repeated, in their order; of another one its only value.
  public func values(of name: String) -> [String] {
    self.lists[name] ?? self.values[name].map { [$0] } ?? []
  }

  /// All parameters present; the values of one that may be repeated stand in their order.
  package var all: [(name: String, value: String)] {
    self.values.flatMap { name, value in (self.lists[name] ?? [value]).map { (name: name, value: $0) } }
  }

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
