package import SallyportProtocol
import SallyportSystem

/// A QR code as an SVG path, drawn with libqrencode.
package struct QRCode: Sendable {
  /// The width and the height in modules, including the margin.
  let size: Int
  /// The dark modules as the data of an SVG path.
  let path: Secret<String>

  /// The margin that scanners need, in modules (ISO/IEC 18004:2006 §5.3.8).
  private static var margin: Int { 4 }

  /// Why QR codes cannot be drawn; nil if they can.
  package static var unavailability: String? {
    LibQREncode.shared == nil ? "libqrencode is not installed (on Debian, the package 'libqrencode4')" : nil
  }

  /// - Returns: Nil if libqrencode is not installed, or the text is too long.
  package init?(_ text: Secret<String>) {
    guard let code = LibQREncode.shared?.encode(text.reveal(), errorCorrection: .medium) else { return nil }
    self.init(width: code.size) { row, column in code.areDark[row * code.size + column] }
  }

  /// - Parameter isDark: Whether a module is dark.
  private init(width: Int, isDark: (_ row: Int, _ column: Int) -> Bool) {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while column < width, isDark(row, column) { column += 1 }
        // Adjacent dark modules of a row are one rectangle.
        if column > start {
          path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
        }
        column += 1
      }
    }
    self.size = width + 2 * Self.margin
    self.path = Secret(path)
  }
}
