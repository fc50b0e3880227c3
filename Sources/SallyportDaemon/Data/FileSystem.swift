// On Linux, the compiler can attribute the members of `stat` to CoreFoundation, so this import is required.
import CoreFoundation
import FoundationEssentials
import Glibc

/// Operations on files and folders. New files and folders are accessible only to their owner.
enum FileSystem {
  /// Whether there is a file, folder, or symbolic link with this name. A link counts even if its target does not exist.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The size in bytes, or 0 if the file does not exist.
  static func size(of path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The identity of a file, which shows whether a path still refers to the same file. Nil if the file does not exist.
  static func identity(of path: String) -> FileIdentity? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Lets SQLite create temporary files in a folder, unless the operator has chosen another one.
  ///
  /// SQLite needs such files for large changes, such as migrations and removals, and fails if it finds no writable
  /// folder for them. In a container, the data directory is often the only one. SQLite reads the variable once, when
  /// the first database is opened, so this must be called before.
  static func letSQLiteUse(_ folder: String) { setenv("SQLITE_TMPDIR", folder, 0) }

  /// Creates a folder with mode 0700. The folder must not exist yet.
  static func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) == 0 else { throw Failure("cannot create \(path): \(self.systemError)") }
  }

  /// Creates a file with mode 0600 and syncs its content to disk. The file must not exist yet.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot create \(path): \(self.systemError)") }
    defer { close(descriptor) }
    let writtenCount = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard writtenCount == bytes.count, fsync(descriptor) == 0 else { throw Failure("cannot write \(path): \(self.systemError)") }
  }

  /// Renames a file or folder.
  static func move(_ path: String, to target: String) throws(Failure) {
    guard rename(path, target) == 0 else { throw Failure("cannot move \(path) to \(target): \(self.systemError)") }
  }

  /// Syncs a folder to disk, so that the names in it survive a power failure.
  static func sync(folder path: String) throws(Failure) {
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot open \(path): \(self.systemError)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure("cannot write \(path): \(self.systemError)") }
  }

  /// The folder that contains `path`.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes a folder and the files in it. Files that cannot be removed stay, and the folder with them.
  static func removeFolder(_ path: String) {
    for name in self.names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The sorted names of the files and folders in a folder. Empty if the folder cannot be read.
  static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Throws if other users can access a file or folder, or if another user owns it.
  static func requirePrivate(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure("cannot access \(path): \(self.systemError)") }
    guard status.st_uid == geteuid() else {
      throw Failure(
        "\(path) belongs to another user; run the command as that user (runuser -u NAME -- sallyportd ...)", isPermanent: true)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Failure("\(path) is accessible to other users; remove their permissions (chmod go= \(path))", isPermanent: true)
    }
  }

  /// Throws if a file is accessible to everyone or writable by its group. The file may belong to another user and be
  /// readable by its group, as is usual for TLS keys.
  static func requireProtected(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure("cannot access \(path): \(self.systemError)") }
    guard status.st_mode & 0o027 == 0 else {
      throw Failure("\(path) is accessible to everyone or writable by its group; remove these permissions (chmod g-w,o= \(path))")
    }
  }

  /// The text of the current `errno`.
  static var systemError: String { String(cString: strerror(errno)) }
}
