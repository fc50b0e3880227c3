/// The parameters of a form while it is parsed.
struct ParameterList {
  /// All parameters with repeatable names, and the first parameter of every other name.
  private(set) var parameters: [(name: String, value: String)] = []
  /// The names that occur more than once but are not repeatable.
  private(set) var repeated: Set<String> = []
  private let repeatable: Set<String>
  /// The names so far, used only after the first 16 parameters.
  private var names: Set<String> = []

  init(repeatable: Set<String>) {
    self.repeatable = repeatable
  }

  /// Parses encoded text: pairs separated by `&`, each split at its first `=`.
  /// - Returns: `nil` for invalid percent-encoding, a null character, or text that is not UTF-8.
  init?(reading text: UnsafeBufferPointer<UInt8>, repeatable: Set<String>) {
    self.init(repeatable: repeatable)
    var rest = text
    while !rest.isEmpty {
      let end = rest.position(of: UInt8(ascii: "&")) ?? rest.count
      let pair = UnsafeBufferPointer(rebasing: rest[..<end])
      rest = UnsafeBufferPointer(rebasing: rest[end...].dropFirst())
      if pair.isEmpty { continue }
      let equals = pair.position(of: UInt8(ascii: "=")) ?? pair.count
      guard let name = PercentEncoding.decodeForm(UnsafeBufferPointer(rebasing: pair[..<equals])),
        let value = PercentEncoding.decodeForm(UnsafeBufferPointer(rebasing: pair[equals...].dropFirst()))
      else { return nil }
      self.append(name, value)
    }
  }

  /// Adds a parameter, unless its name occurred before and is not repeatable.
  mutating func append(_ name: String, _ value: String) {
    if self.isNew(name) || self.repeatable.contains(name) {
      self.parameters.append((name, value))
    } else {
      self.repeated.insert(name)
    }
  }

  /// Whether `name` has not occurred before. The first 16 names are compared one by one. Later names are looked up in a
  /// set, so that the time grows linearly with the length of the form.
  private mutating func isNew(_ name: String) -> Bool {
    guard self.parameters.count >= 16 else { return !self.parameters.contains { $0.name == name } }
    if self.names.isEmpty { self.names = Set(self.parameters.map(\.name)) }
    return self.names.insert(name).inserted
  }
}
