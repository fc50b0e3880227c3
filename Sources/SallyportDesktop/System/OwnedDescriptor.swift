/// A file descriptor, or on Windows a socket, that is closed once, where its value ends.
struct OwnedDescriptor: ~Copyable {
  let raw: SocketHandle

  /// Takes over `raw`; nil where it is what a failed call returns.
  init?(_ raw: SocketHandle) {
    guard Descriptors.isValid(raw) else { return nil }
    self.raw = raw
  }

  deinit {
    Descriptors.discard(self.raw)
  }

  /// Hands the descriptor over to a caller that closes it.
  consuming func release() -> SocketHandle {
    let raw = self.raw
    discard self
    return raw
  }
}
