#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Questions to the file system.
enum FileSystem {
  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }
}
