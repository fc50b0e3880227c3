import SallyportSystem

#if !os(Windows)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// Simple file system queries.
  enum FileSystem {
    static func exists(_ path: String) -> Bool {
      access(path, F_OK) == 0
    }

    /// Reads a file whose size is not known in advance, such as a file in `/proc`. Returns `nil` if it cannot be read.
    static func content(_ path: String) -> [UInt8]? {
      guard let file = OwnedDescriptor(open(path, O_RDONLY | O_CLOEXEC)) else { return nil }
      var content: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      let raw = file.raw
      while true {
        let count = SystemError.retrying { read(raw, &chunk, chunk.count) }
        guard count >= 0 else { return nil }
        if count == 0 { return content }
        content += chunk[..<count]
      }
    }
  }

  /// `read(2)`, with a name that isn't hidden by methods called `read`.
  func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
  }
#endif
