#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#else
  import Darwin
#endif

/// A file descriptor that is closed once, where its value ends.
struct OwnedDescriptor: ~Copyable {
  let raw: Int32

  /// Takes over `raw`; nil where it is the −1 of a failed call.
  init?(_ raw: Int32) {
    guard raw >= 0 else { return nil }
    self.raw = raw
  }

  deinit {
    close(self.raw)
  }

  /// Hands the descriptor over to a caller that closes it.
  consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }
}
