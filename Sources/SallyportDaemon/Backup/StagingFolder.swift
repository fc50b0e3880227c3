import Glibc

/// A hidden folder of the data directory in which a restore prepares files. It stays locked until the process ends, so
/// an unlocked folder is a leftover of an interrupted restore.
struct StagingFolder {
  let path: String

  /// Creates a folder with mode 0700 and a unique name.
  init(in data: String) throws(Failure) {
    // mkdtemp(3) replaces the six X with a unique suffix.
    var name = Array("\(data)/\(DataFiles.staged)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Failure("cannot create a folder in \(data): \(FileSystem.systemError)") }
    self.path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Another restore may have removed the folder as a leftover before it was locked.
    guard try DataLock.tryLockExclusive(self.path), FileSystem.exists(self.path) else {
      throw Failure("another restore of \(data) is in progress; try again later")
    }
  }

  func remove() {
    FileSystem.removeFolder(self.path)
  }

  /// Moves the folder to its final name, and syncs the folder and its parent to disk, so that the names in them survive
  /// a power failure.
  func move(to target: String) throws(Failure) {
    try FileSystem.sync(folder: self.path)
    try FileSystem.move(self.path, to: target)
    try FileSystem.sync(folder: FileSystem.parent(of: target))
  }

  /// Removes the folders that interrupted restores left behind.
  static func removeLeftovers(in data: String) throws(Failure) {
    for name in FileSystem.names(in: data) where name.hasPrefix(DataFiles.staged) {
      let path = "\(data)/\(name)"
      if try DataLock.tryLockExclusive(path) { FileSystem.removeFolder(path) }
    }
  }
}
