/// The libqrencode library, loaded at run time and never unloaded.
package struct LibQREncode: Sendable {
  /// How much of a QR code can be damaged without making it unreadable (ISO/IEC 18004:2006 §6.5.1).
  package enum ErrorCorrection: Int32, Sendable {
    /// 7 percent: libqrencode's `QR_ECLEVEL_L`.
    case low = 0
    /// 15 percent: libqrencode's `QR_ECLEVEL_M`.
    case medium = 1
  }

  /// The modules of a QR code (its dark and light squares), without the light margin around them.
  package struct Modules: Sendable {
    /// The number of modules on each side.
    package let size: Int
    /// The modules row by row; `true` is dark.
    package let areDark: [Bool]
  }

  private typealias Pointer = UnsafeMutableRawPointer
  private typealias Encode = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Pointer?
  private typealias Free = @convention(c) (Pointer?) -> Void

  /// libqrencode's `QRcode`.
  private struct EncodedCode {
    var version: Int32
    var width: Int32
    var data: UnsafeMutablePointer<UInt8>?
  }

  private let symbols: SharedLibrary

  /// The library, or `nil` if it is not installed.
  package static let shared: LibQREncode? = {
    #if canImport(Darwin)
      let names = ["libqrencode.4.dylib", "/opt/homebrew/lib/libqrencode.4.dylib"]
    #else
      let names = ["libqrencode.so.4"]
    #endif
    return names.lazy.compactMap { SharedLibrary($0) }.first.map(LibQREncode.init)
  }()

  /// Returns the QR code of a text; `nil` if the text is too long for a QR code, is empty, or contains a NUL character.
  package func encode(_ text: String, errorCorrection: ErrorCorrection) -> Modules? {
    guard !text.isEmpty, !text.utf8.contains(0),
      let encode = self.symbols.function("QRcode_encodeString8bit", as: Encode.self),
      let free = self.symbols.function("QRcode_free", as: Free.self)
    else { return nil }
    // Version 0 selects the smallest size that fits.
    guard let code = encode(text, 0, errorCorrection.rawValue) else { return nil }
    defer { free(code) }
    let header = code.assumingMemoryBound(to: EncodedCode.self).pointee
    let size = Int(header.width)
    // The smallest QR code has 21 modules on each side, and the largest 177.
    guard (21...177).contains(size), let data = header.data else { return nil }
    // The lowest bit of each byte is set for a dark module.
    return Modules(size: size, areDark: (0..<(size * size)).map { data[$0] & 1 == 1 })
  }
}
