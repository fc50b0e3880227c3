import FoundationEssentials
import Glibc

/// The lock of a data directory: shared by any number of servers and commands, or exclusive for one `restore` or
/// `store copy`.
///
/// The lock is on the directory itself and is released only when the process ends, because a store that was opened
/// while the lock was held can be in use until then.
enum DataLock {
  /// Takes a shared lock, which allows reading and writing the database.
  static func lockShared(_ path: String) throws(Failure) {
    guard try self.lock(path, LOCK_SH) else {
      throw Failure("\(path) is being restored or copied; try again when 'sallyportd restore' or 'store copy' has finished")
    }
    try self.requireCompleteRestore(path)
  }

  /// - Throws: `Failure` if a restore of the directory was interrupted, so that its files may not belong together.
  static func requireCompleteRestore(_ path: String) throws(Failure) {
    guard !FileSystem.exists("\(path)/\(DataFiles.restoring)") else {
      throw Failure(
        "a restore of \(path) was interrupted; run 'sallyportd restore --replace' again", isPermanent: true)
    }
  }

  /// Takes an exclusive lock, so that no other process uses the directory. The files can then be replaced.
  static func lockExclusive(_ path: String) throws(Failure) {
    guard try self.lock(path, LOCK_EX) else { throw Failure("\(path) is in use; stop the server and all commands that use it") }
  }

  /// Tries to take an exclusive lock on a folder that only one process may use, such as the folder in which a restore
  /// prepares files.
  /// - Returns: False if another process has locked it.
  static func tryLockExclusive(_ path: String) throws(Failure) -> Bool { try self.lock(path, LOCK_EX) }

  private static func lock(_ path: String, _ kind: Int32) throws(Failure) -> Bool {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot open \(path): \(FileSystem.systemError)") }
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let isTaken = errno == EWOULDBLOCK
      let reason = FileSystem.systemError
      close(descriptor)
      guard isTaken else { throw Failure("cannot lock \(path): \(reason)") }
      return false
    }
    return true
  }
}
