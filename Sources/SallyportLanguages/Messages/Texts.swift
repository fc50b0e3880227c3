/// The key of a message that code, and not a template, chooses. The keys of a module are the cases of an enumeration,
/// so a misspelled key does not compile.
package protocol TextKey: RawRepresentable<String>, CaseIterable, Sendable {}

/// The texts of a module in one language.
package struct Texts<Key: TextKey>: Sendable {
  package let language: Language
  private let messages: [String: Message]

  /// - Parameters:
  ///   - catalog: The messages in this language.
  ///   - english: The messages for keys that are missing in the catalog.
  package init(_ language: Language, _ catalog: Catalog, english: Catalog) {
    self.language = language
    self.messages = english.messages.merging(catalog.messages) { _, message in message }
  }

  /// The text of a message without arguments.
  package subscript(key: Key) -> String { self(key) }

  /// Returns the text of a message.
  /// - Parameters:
  ///   - encodeText: Encodes the message's own text, for example for HTML.
  ///   - encodeValue: Encodes the values of arguments.
  package func callAsFunction(
    _ key: Key, _ arguments: [String: Message.Argument] = [:], encodeText: (String) -> String = { $0 },
    encodeValue: (String) -> String = { $0 }
  ) -> String {
    // Tests check that the English catalog contains every key, so the key itself never appears as the text.
    self.messages[key.rawValue]?.formatted(arguments, in: self.language, encodeText: encodeText, encodeValue: encodeValue)
      ?? key.rawValue
  }

  /// Returns the message with a key that a template contains, or `nil` if no catalog has the key.
  package func message(_ key: String) -> Message? { self.messages[key] }
}
