#if os(Windows)
  import WinSDK

  /// Conversions between Swift strings and Windows strings.
  enum WindowsText {
    /// UTF-16 with a terminating zero.
    static func nullTerminatedUTF16(_ text: String) -> [UInt16] {
      Array(text.utf16) + [0]
    }

    /// Returns the value of an environment variable, or `nil` if the variable does not exist or is empty.
    static func environment(_ name: String) -> String? {
      var buffer = [UInt16](repeating: 0, count: 32 << 10)
      let length = Int(GetEnvironmentVariableW(self.nullTerminatedUTF16(name), &buffer, DWORD(buffer.count)))
      // The length is 0 if the call failed, and greater than the buffer's if the value does not fit into the buffer.
      return (1..<buffer.count).contains(length) ? String(decoding: buffer[..<length], as: UTF16.self) : nil
    }
  }
#endif
