import SallyportServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An exclusive lock between processes. The operating system releases the lock when the process ends.
struct FileLock {
  private let descriptor: Int32

  /// Waits until the lock is available.
  /// - Parameter limit: How long to wait. The default is longer than the migration of a large database takes.
  /// - Throws: ``StoreError/unavailable(reason:)`` if another process still has the lock after that time, or if the
  ///   file cannot be opened or locked.
  init(path: String, limit: Duration = .seconds(60)) throws(StoreError) {
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("cannot open the lock file") }
    let deadline = ContinuousClock.now + limit
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let isTaken = errno == EWOULDBLOCK
      guard isTaken || errno == EINTR, ContinuousClock.now < deadline else {
        let error: StoreError =
          isTaken
          ? .unavailable(reason: "another process has held the lock file \"\(path)\" for \(limit.components.seconds) seconds")
          : .system("cannot lock the file \"\(path)\"")
        close(descriptor)
        throw error
      }
      BusyWait.pause()
    }
    self.descriptor = descriptor
  }

  func release() {
    close(self.descriptor)
  }
}
