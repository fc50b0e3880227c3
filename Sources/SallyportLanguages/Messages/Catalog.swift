#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The messages of a language file, by key.
package struct Catalog: Sendable {
  package var messages: [String: Message]

  /// Parses a JSON object whose members are messages.
  package init(json: some Sequence<UInt8>) throws(CatalogError) {
    let texts: [String: String]
    do { texts = try JSONDecoder().decode([String: String].self, from: Data(json)) } catch { throw .notAnObjectOfTexts }
    self.messages = [:]
    // Sorted, so that the same invalid message is reported each time.
    for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
      do throws(MessageError) { self.messages[key] = try Message(text) } catch { throw .invalidMessage(key: key, error) }
    }
  }

  package init(messages: [String: Message] = [:]) {
    self.messages = messages
  }
}

/// Why a file is not a catalog.
package enum CatalogError: Error, Equatable, Sendable, CustomStringConvertible {
  case notAnObjectOfTexts
  case invalidMessage(key: String, MessageError)

  package var description: String {
    switch self {
    case .notAnObjectOfTexts: "the file is not a JSON object whose members are texts"
    case .invalidMessage(let key, let error): "the message \"\(key)\" is invalid: \(error.description)"
    }
  }
}
