import Dispatch
import Glibc

/// Keeps a database locked for readers, as a process does while it recovers the index of the write-ahead log.
///
/// The lock belongs to an open file description, not to the process, so it also excludes the connections of this
/// process.
struct RecoveryLock: Sendable {
  private struct SystemError: Error {
    let code = errno
  }

  /// `F_OFD_SETLK` of fcntl(2), which the Glibc module does not include.
  private static let setLock: Int32 = 37
  /// The bytes of `WAL_WRITE_LOCK` and `WAL_RECOVER_LOCK` in the file of shared memory
  /// (https://sqlite.org/walformat.html §2.3).
  private static let locks: [off_t] = [120, 122]

  private let descriptor: Int32

  /// Takes the locks, and overwrites the header of the write-ahead log's index, so that the next reader must recover
  /// the index.
  init(database: String) throws {
    self.descriptor = open("\(database)-shm", O_RDWR | O_CLOEXEC)
    guard self.descriptor >= 0 else { throw SystemError() }
    for byte in Self.locks { try self.set(F_WRLCK, byte) }
    // The index begins with two copies of its header, which have 48 bytes each.
    let header = [UInt8](repeating: 0, count: 96)
    guard pwrite(self.descriptor, header, header.count, 0) == header.count else { throw SystemError() }
  }

  /// Releases the locks. The descriptor stays open: if a process closes any descriptor of a file, the system releases
  /// all of the process's ordinary locks on the file, and so the locks of SQLite.
  func release() throws {
    for byte in Self.locks { try self.set(F_UNLCK, byte) }
  }

  private func set(_ type: Int32, _ byte: off_t) throws {
    var lock = flock()
    (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(type), Int16(SEEK_SET), byte, 1)
    guard fcntl(self.descriptor, Self.setLock, &lock) == 0 else { throw SystemError() }
  }
}

/// Runs tasks on one thread, like an event loop.
final class EventLoop: TaskExecutor {
  private let queue = DispatchQueue(label: "event loop")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    self.queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
