/// The name with which a person signs in, in the one form in which names are compared: NFC, lower case, no outer spaces.
public struct Username: Hashable, Sendable, CustomStringConvertible {
  public let value: String

  /// - Returns: nil for an empty name, one over 128 bytes, or one with control characters.
  public init?(_ text: some StringProtocol) {
    let trimmed = text.drop(while: \.isWhitespace)
    let folded = String(
      trimmed.prefix(upTo: trimmed.lastIndex { !$0.isWhitespace }.map(trimmed.index(after:)) ?? trimmed.startIndex)
    )
    .lowercased()
    guard !folded.isEmpty, folded.utf8.count <= 128,
      !folded.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    self.value = String(decoding: folded._nfcCodeUnits, as: UTF8.self)
  }

  public var description: String { self.value }
}
