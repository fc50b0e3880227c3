/// The parameters of a form while it is parsed.
struct ParameterList {
  /// All parameters with repeatable names, and the first parameter of every other name.
  private(set) var parameters: [(name: String, value: String)] = []
  /// The names that occur more than once but are not repeatable.
  private(set) var repeated: Set<String> = []
  private let repeatable: Set<String>
  /// The names, used only for forms with 16 or more parameters.
  private var names: Set<String> = []

  init(repeatable: Set<String>) {
    self.repeatable = repeatable
  }

  /// Parses encoded text: pairs separated by `&`, each split at its first `=`.
  /// - Returns: `nil` for invalid percent-encoding or text that is not UTF-8.
  init?(reading text: UnsafeBufferPointer<UInt8>, repeatable: Set<String>) {
    self.init(repeatable: repeatable)
    var (start, equals) = (0, Int?.none)
    for index in 0...text.count {
      switch index < text.count ? text[index] : UInt8(ascii: "&") {
      case UInt8(ascii: "="): equals = equals ?? index
      case UInt8(ascii: "&"):
        if start < index {
          let valueStart = min((equals ?? index) + 1, index)
          guard let name = PercentEncoding.decodeForm(.init(rebasing: text[start..<(equals ?? index)])),
            let value = PercentEncoding.decodeForm(.init(rebasing: text[valueStart..<index]))
          else { return nil }
          self.append(name, value)
        }
        (start, equals) = (index + 1, nil)
      default: break
      }
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

  /// Whether `name` has not occurred before. A few names are compared one by one. Longer lists, which no regular client
  /// sends, use a set, so that the cost grows only with the length of the form.
  private mutating func isNew(_ name: String) -> Bool {
    guard self.parameters.count >= 16 else { return !self.parameters.contains { $0.name == name } }
    if self.names.isEmpty { self.names = Set(self.parameters.map(\.name)) }
    return self.names.insert(name).inserted
  }
}
