/// A QR code (ISO/IEC 18004), made by libqrencode where that is installed.
public struct QRCode: Sendable, Equatable {
  /// How many modules a side has, without the quiet zone around them.
  package let size: Int
  /// Row by row; true is a dark one.
  package let modules: [Bool]

  /// The code of a text, at the lowest level of error correction, since a screen has no scratches.
  ///
  /// Nil where libqrencode is not installed, or where the text is too long for a QR code.
  public init?(_ text: String) {
    guard let code = LibQREncode.shared?.encode(text) else { return nil }
    self = code
  }

  /// - Parameter modules: `size` rows of as many modules.
  package init?(size: Int, modules: [Bool]) {
    guard size > 0, modules.count == size * size else { return nil }
    self.size = size
    self.modules = modules
  }

  /// Light outside, which is the quiet zone.
  func isDark(row: Int, column: Int) -> Bool {
    guard (0..<self.size).contains(row), (0..<self.size).contains(column) else { return false }
    return self.modules[row * self.size + column]
  }
}
