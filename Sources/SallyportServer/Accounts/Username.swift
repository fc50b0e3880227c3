/// The name with which a person signs in, in the one form in which names are compared: NFC, lower case, no outer spaces.
public struct Username: Hashable, Sendable, CustomStringConvertible {
  public let value: String

  /// - Returns: nil for an empty name, one over 128 bytes, or one with control characters.
  public init?(_ text: String) {
    // Names are read far more often than chosen, and most of them are in this form already.
    if (1...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isPlain) {
      self.value = text
    } else if let value = Self.normalized(text) {
      self.value = value
    } else {
      return nil
    }
  }

  /// Visible ASCII but for upper case, which trimming, lower-casing and NFC leave as it is.
  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x40).contains(byte) || (0x5B...0x7E).contains(byte)
  }

  /// The form of any text: without the spaces around it, in lower case, in NFC; nil for what is no name.
  package static func normalized(_ text: some StringProtocol) -> String? {
    let trimmed = text.drop(while: \.isWhitespace)
    let folded = String(
      trimmed.prefix(upTo: trimmed.lastIndex { !$0.isWhitespace }.map(trimmed.index(after:)) ?? trimmed.startIndex)
    )
    .lowercased()
    guard !folded.isEmpty, folded.utf8.count <= 128,
      !folded.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    return String(decoding: folded._nfcCodeUnits, as: UTF8.self)
  }

  public var description: String { self.value }
}
