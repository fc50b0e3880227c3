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
  init(path: String) throws(StoreError) {
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system("cannot open the lock file") }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else {
        let error = StoreError.system("cannot lock the database")
        close(descriptor)
        throw error
      }
    }
    self.descriptor = descriptor
  }

  func release() {
    close(self.descriptor)
  }
}
