/// The libqrencode library, loaded at run time and never unloaded.
struct LibQREncode: Sendable {
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
  static var shared: LibQREncode? {
    #if canImport(Darwin)
      let names = ["libqrencode.4.dylib", "/opt/homebrew/lib/libqrencode.4.dylib"]
    #else
      let names = ["libqrencode.so.4"]
    #endif
    return names.lazy.compactMap { SharedLibrary($0) }.first.map(LibQREncode.init)
  }

  /// Returns `nil` if the text is too long for a QR code, is empty, or contains a NUL character.
  func encode(_ text: String) -> QRCode? {
    guard !text.isEmpty, !text.utf8.contains(0),
      let encode = try? self.symbols.function("QRcode_encodeString8bit", as: Encode.self),
      let free = try? self.symbols.function("QRcode_free", as: Free.self)
    else { return nil }
    // Version 0 selects the smallest size that fits. Level 0 is the lowest level of error correction (L).
    guard let code = encode(text, 0, 0) else { return nil }
    defer { free(code) }
    let header = code.assumingMemoryBound(to: EncodedCode.self).pointee
    let size = Int(header.width)
    guard (21...177).contains(size), let data = header.data else { return nil }
    // The lowest bit of each byte is set for a dark module.
    return QRCode(size: size, modules: (0..<(size * size)).map { data[$0] & 1 == 1 })
  }
}
