#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A hidden folder of the data directory, in which a restore makes what is not in its place yet. It is locked for as long as the process
/// lives, which tells it from what an interrupted restore has left.
struct StagingFolder {
  let path: String

  /// Makes a folder of mode 0700 whose name nobody else has.
  init(in data: String) throws(Failure) {
    // mkdtemp(3) writes what makes the name its own over the six X.
    var name = Array("\(data)/\(DataFiles.staged)XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Failure("cannot make a folder in \(data): \(PrivateFiles.systemError)") }
    self.path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    // Somebody who tidies up may have come between.
    guard try DataLock.take(self.path), PrivateFiles.exists(self.path) else {
      throw Failure("another restore is at work in \(data); try again")
    }
  }

  func remove() {
    PrivateFiles.removeFolder(self.path)
  }

  /// Gives it its name for good, on the disk with what is in it.
  func move(to target: String) throws(Failure) {
    try PrivateFiles.sync(folder: self.path)
    try PrivateFiles.move(self.path, to: target)
    try PrivateFiles.sync(folder: PrivateFiles.parent(of: target))
  }

  /// Removes what interrupted restores have left.
  static func removeLeftovers(in data: String) throws(Failure) {
    for name in PrivateFiles.names(in: data) where name.hasPrefix(DataFiles.staged) {
      let path = "\(data)/\(name)"
      if try DataLock.take(path) { PrivateFiles.removeFolder(path) }
    }
  }
}
