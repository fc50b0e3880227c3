/// A file descriptor, or a socket on Windows, that is closed when its value is destroyed.
struct OwnedDescriptor: ~Copyable {
  let raw: SocketHandle

  /// Takes ownership of `raw`. Returns `nil` if it is the value that a failed call returns.
  init?(_ raw: SocketHandle) {
    guard Descriptors.isValid(raw) else { return nil }
    self.raw = raw
  }

  deinit {
    Descriptors.discard(self.raw)
  }

  /// Transfers ownership to the caller, which must close the descriptor.
  consuming func release() -> SocketHandle {
    let raw = self.raw
    discard self
    return raw
  }
}
