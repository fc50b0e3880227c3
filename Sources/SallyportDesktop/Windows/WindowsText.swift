#if os(Windows)
  import WinSDK

  /// Conversions between Swift strings and Windows strings.
  enum WindowsText {
    /// UTF-16 with a terminating zero.
    static func nullTerminatedUTF16(_ text: String) -> [UInt16] {
      Array(text.utf16) + [0]
    }

    static func environment(_ name: String) -> String? {
      var buffer = [UInt16](repeating: 0, count: 32 << 10)
      let length = Int(GetEnvironmentVariableW(self.nullTerminatedUTF16(name), &buffer, DWORD(buffer.count)))
      return (1..<buffer.count).contains(length) ? String(decoding: buffer[..<length], as: UTF16.self) : nil
    }
  }
#endif
