/// A user name in the form that is stored and compared: NFC, lowercase, without surrounding white space.
public struct Username: Hashable, Sendable, CustomStringConvertible {
  public let value: String

  /// - Returns: Nil for an empty name, a name over 128 bytes, or a name with control characters.
  public init?(_ text: String) {
    // Plain ASCII text needs no normalization. Skipping it saves time, because names are read from the store often.
    if (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) {
      self.value = text
    } else if let value = Self.normalized(text) {
      self.value = value
    } else {
      return nil
    }
  }

  /// Whether the byte is visible ASCII, but not an uppercase letter. Normalization does not change a text of such
  /// bytes.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x40).contains(byte) || (0x5B...0x7E).contains(byte)
  }

  /// Returns the text without surrounding white space, in lowercase and NFC; nil if it is not a valid name.
  package static func normalized(_ text: some StringProtocol) -> String? {
    let folded = StorableText.trimmed(text).lowercased()
    guard !folded.isEmpty, folded.utf8.count <= 128,
      !folded.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    return folded.normalizedToNFC
  }

  public var description: String { self.value }
}
