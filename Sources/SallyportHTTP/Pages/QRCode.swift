import CLibQREncode
package import SallyportProtocol

/// A QR code as an SVG path, drawn with libqrencode.
package struct QRCode: Sendable {
  /// The width and the height in modules, including the margin.
  let size: Int
  /// The dark modules as the data of an SVG path.
  let path: Secret<String>

  /// The margin that scanners need, in modules (ISO/IEC 18004 §5.3.8).
  private static var margin: Int { 4 }

  /// Why QR codes cannot be drawn; nil if they can.
  package static var unavailability: String? {
    libqrencode_load().map { String(cString: $0) }
  }

  /// - Returns: Nil if libqrencode is not installed, or the text is too long.
  package init?(_ text: Secret<String>) {
    guard Self.unavailability == nil else { return nil }
    let bytes = Array(text.reveal().utf8)
    guard let code = libqrencode_encode(Int32(bytes.count), bytes, 0, LIBQRENCODE_LEVEL_M) else { return nil }
    defer { libqrencode_free(code) }
    guard let data = code.pointee.data else { return nil }
    let width = Int(code.pointee.width)
    self.init(width: width) { row, column in data[row * width + column] & 1 == 1 }
  }

  /// - Parameter isDark: Whether a module is dark.
  private init(width: Int, isDark: (_ row: Int, _ column: Int) -> Bool) {
    var path = ""
    for row in 0..<width {
      var column = 0
      while column < width {
        let start = column
        while column < width, isDark(row, column) { column += 1 }
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
