import GRDB
import SallyportServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension DatabaseFile {
  /// Writes a copy of the database's current content to a new file.
  func copy(to target: String) throws(StoreError) {
    // Create the file with its mode first: `VACUUM INTO` accepts an empty file, and keeps the mode. `openat` is used
    // because `open` would refer to the method of this type.
    let file = openat(AT_FDCWD, target, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("cannot create \(target)") }
    defer { close(file) }
    do throws(StoreError) {
      let source = try self.openReader()
      try convertingErrors {
        // `VACUUM INTO` does not sync the new file to disk, so `fsync` does this below. The copy uses a rollback
        // journal, not WAL mode.
        try source.inDatabase { db in try db.execute(sql: "VACUUM INTO ?", arguments: [target]) }
        try source.close()
      }
      guard fsync(file) == 0 else { throw .system("cannot write \(target)") }
    } catch {
      unlink(target)
      throw error
    }
  }
}
