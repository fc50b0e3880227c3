/// A CBOR map whose keys are distinct integers or strings, in the order of their encodings.
package struct CBORMap: Hashable, Sendable {
  package private(set) var entries: [Entry] = []

  package struct Entry: Hashable, Sendable {
    package let key: CBORValue
    package let value: CBORValue
  }

  init() {}

  package var count: Int { self.entries.count }

  /// The value of an integer key.
  package subscript(label: Int64) -> CBORValue? {
    self.entries.first { $0.key == .integer(label) }?.value
  }

  /// The value of a string key. The key and `name` must have the same UTF-8 bytes: `==` would ignore differences in
  /// Unicode normalization.
  package subscript(name: String) -> CBORValue? {
    self.entries.first { $0.key.textValue?.utf8.elementsEqual(name.utf8) == true }?.value
  }

  /// Adds an entry. The reader checks that the key is new.
  mutating func append(_ key: CBORValue, _ value: CBORValue) {
    self.entries.append(Entry(key: key, value: value))
  }
}
