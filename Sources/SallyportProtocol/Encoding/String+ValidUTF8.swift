extension String {
  /// Text that may be none; nil for bytes that are not UTF-8. The same as `String(validating:as:)`, for the one type of bytes that requests
  /// come in: nearly all of them are ASCII, which one pass tells.
  package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}
