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

  /// Questions to the file system.
  enum FileSystem {
    static func exists(_ path: String) -> Bool {
      access(path, F_OK) == 0
    }

    /// The whole content of a file whose size the system does not tell; nil where it cannot be read.
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

  /// `read(2)` under a name that methods called `read` do not hide.
  func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
  }
#endif
