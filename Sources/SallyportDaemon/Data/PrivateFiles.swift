#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(CoreFoundation)
  // On Linux the members of `stat` may be found by way of this module first, and belong to it then.
  import CoreFoundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files and folders that are for their owner alone, and that are on the disk when a function returns.
enum PrivateFiles {
  /// Whether there is anything of this name, a link that leads nowhere included.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// In bytes; 0 for what is not there.
  static func size(of path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// What tells whether a name still leads to the same file; nil for what is not there.
  static func identity(of path: String) -> FileIdentity? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Makes a folder of mode 0700 that was not there.
  static func makeFolder(_ path: String) throws(Failure) {
    guard mkdir(path, 0o700) == 0 else { throw Failure("cannot make \(path): \(self.systemError)") }
  }

  /// Writes a new file of mode 0600.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot make \(path): \(self.systemError)") }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count, fsync(descriptor) == 0 else { throw Failure("cannot write \(path): \(self.systemError)") }
  }

  /// Gives a file or folder another name.
  static func move(_ path: String, to target: String) throws(Failure) {
    guard rename(path, target) == 0 else { throw Failure("cannot move \(path) to \(target): \(self.systemError)") }
  }

  /// What was made, moved or removed in a folder stays so over a power cut.
  static func sync(folder path: String) throws(Failure) {
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot open \(path): \(self.systemError)") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw Failure("cannot write \(path): \(self.systemError)") }
  }

  /// The folder in which a path stands.
  static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes a folder with the files in it.
  static func removeFolder(_ path: String) {
    for name in self.names(in: path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// What stands in a folder, by name.
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

  /// For files that nobody else may even read.
  static func refuseOthers(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure("cannot look at \(path): \(self.systemError)") }
    guard status.st_uid == geteuid() else {
      throw Failure("\(path) belongs to another user; run this as that user (runuser -u NAME -- sallyportd ...)", isLasting: true)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw Failure("\(path) is open to other users; make it yours alone (chmod go= \(path))", isLasting: true)
    }
  }

  /// For files that another user may own and a group may read, as TLS keys are kept.
  static func refuseStrangers(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure("cannot look at \(path): \(self.systemError)") }
    guard status.st_mode & 0o027 == 0 else {
      throw Failure("\(path) can be read by everybody, or changed by its group (chmod g-w,o= \(path))")
    }
  }

  static var systemError: String { String(cString: strerror(errno)) }
}
