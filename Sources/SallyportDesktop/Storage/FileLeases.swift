import Sallyport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Leases on stored values: an advisory lock on a file for each key.
///
/// The lock belongs to the open file, so it excludes other tasks of this process as well as other processes, and the kernel
/// frees it when its holder dies. Lock files stay: removing one would let two holders lock two files of the same name.
struct FileLeases: Sendable {
  let folder: String?

  /// How long to sleep between two tries, in milliseconds: short at first, since most leases are held for one request.
  private static let backOff: [Int] = [1, 2, 5, 10, 20]

  func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
    guard let path = self.folder else { throw TokenStoreError.noHome }
    let file = try PrivateFolder(creating: path).lockFile(key.fileName + ".lock")
    try await Self.acquire(file.raw)
    defer { flock(file.raw, LOCK_UN) }
    return try await body()
  }

  /// Tries again and again rather than block a thread: a waiter can be cancelled, and any number of them cost nothing.
  private static func acquire(_ descriptor: Int32) async throws {
    var attempt = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw TokenStoreError.failed(reason: "cannot lock: \(SystemError())")
      }
      let pause = Self.backOff[min(attempt, Self.backOff.count - 1)]
      attempt += 1
      try await Task.sleep(for: .milliseconds(pause))
    }
    try Task.checkCancellation()
  }
}
