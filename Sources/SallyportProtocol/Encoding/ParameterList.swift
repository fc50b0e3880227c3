/// The parameters of a form while it is read: the first of each name, all of a name that may be repeated, and which other names
/// stood again.
struct ParameterList {
  private(set) var parameters: [(name: String, value: String)] = []
  private(set) var repeated: Set<String> = []
  private let repeatable: Set<String>
  /// The names, as soon as there are many.
  private var names: Set<String> = []

  init(repeatable: Set<String>) {
    self.repeatable = repeatable
  }

  /// Reads encoded text: pairs with `&` between them, each divided by its first `=`.
  /// - Returns: nil for a broken percent-encoding or text that is not UTF-8.
  init?(reading text: UnsafeBufferPointer<UInt8>, repeatable: Set<String>) {
    self.init(repeatable: repeatable)
    var (start, equals) = (0, Int?.none)
    for index in 0...text.count {
      switch index < text.count ? text[index] : UInt8(ascii: "&") {
      case UInt8(ascii: "="): equals = equals ?? index
      case UInt8(ascii: "&"):
        if start < index {
          let value = min((equals ?? index) + 1, index)
          guard let name = PercentEncoding.decodeForm(.init(rebasing: text[start..<(equals ?? index)])),
            let value = PercentEncoding.decodeForm(.init(rebasing: text[value..<index]))
          else { return nil }
          self.append(name, value)
        }
        (start, equals) = (index + 1, nil)
      default: break
      }
    }
  }

  /// Adds a parameter, unless one of its name, which may not be repeated, is there.
  mutating func append(_ name: String, _ value: String) {
    if self.isNew(name) || self.repeatable.contains(name) {
      self.parameters.append((name, value))
    } else {
      self.repeated.insert(name)
    }
  }

  /// The few names of a form are compared with each other; of many, which nobody sends who means well, a set tells, so that no form
  /// costs more than its length.
  private mutating func isNew(_ name: String) -> Bool {
    guard self.parameters.count >= 16 else { return !self.parameters.contains { $0.name == name } }
    if self.names.isEmpty { self.names = Set(self.parameters.map(\.name)) }
    return self.names.insert(name).inserted
  }
}
