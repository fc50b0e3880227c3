extension String {
  /// Creates a string from bytes, or returns `nil` if they are not UTF-8. It gives the same result as
  /// `String(validating:as:)`, but is faster for ASCII, which most requests consist of.
  package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}
