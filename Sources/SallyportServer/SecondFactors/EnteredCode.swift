/// Reads codes that users type with the keyboard of any language.
enum EnteredCode {
  /// Returns the letters and digits of a code in ASCII and in lowercase, without its white space and hyphens.
  ///
  /// Digits of all scripts, such as Arabic-Indic and full-width digits, and full-width letters are converted.
  /// - Returns: Nil if the text contains other characters outside ASCII, or more than 256 bytes.
  static func ascii(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 256 else { return nil }
    var code: [UInt8] = []
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace && !scalar.properties.isDash {
      if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
        code.append(UInt8(ascii: "0") + UInt8(digit))
        continue
      }
      // The full-width characters are in the order of ASCII.
      let isFullWidth = (0xFF01...0xFF5E).contains(scalar.value)
      guard let byte = UInt8(exactly: isFullWidth ? scalar.value - 0xFEE0 : scalar.value), byte < 0x80 else { return nil }
      code.append((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte)
    }
    return code
  }
}
