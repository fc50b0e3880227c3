import SallyportSystem

/// A QR code (ISO/IEC 18004), created with libqrencode if it is installed.
public struct QRCode: Sendable, Equatable {
  /// The number of modules (dark and light squares) on each side, without the quiet zone, which is the light margin.
  package let size: Int
  /// The modules row by row; `true` is dark.
  package let modules: [Bool]

  /// Creates a code for a text, with the lowest level of error correction, which is sufficient for a screen.
  ///
  /// Returns `nil` if libqrencode is not installed, or if the text is empty, contains a NUL character, or is too long
  /// for a QR code.
  public init?(_ text: String) {
    guard let code = LibQREncode.shared?.encode(text, errorCorrection: .low) else { return nil }
    self.init(size: code.size, modules: code.areDark)
  }

  /// Returns `nil` if `size` is not positive, or if the number of modules is not `size * size`.
  /// - Parameter modules: `size` rows of `size` modules each.
  package init?(size: Int, modules: [Bool]) {
    guard size > 0, modules.count == size * size else { return nil }
    self.size = size
    self.modules = modules
  }

  /// Whether a module is dark. Modules outside the code, in the quiet zone, are light.
  func isDark(row: Int, column: Int) -> Bool {
    guard (0..<self.size).contains(row), (0..<self.size).contains(column) else { return false }
    return self.modules[row * self.size + column]
  }
}
