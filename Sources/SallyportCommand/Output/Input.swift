#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads input files.
enum Input {
  /// Reads standard input.
  /// - Returns: `nil` if the input has more than `limit` bytes or cannot be read.
  static func all(limit: Int) -> [UInt8]? {
    self.all(of: STDIN_FILENO, limit: limit)
  }

  /// Reads a file, or standard input if the path is `-`.
  /// - Returns: `nil` if the content has more than `limit` bytes or cannot be read.
  static func file(_ path: String, limit: Int) -> [UInt8]? {
    if path == "-" { return self.all(limit: limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return self.all(of: descriptor, limit: limit)
  }

  /// Whether there is a file with this path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  private static func all(of descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0, bytes.count + count <= limit else { return nil }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
