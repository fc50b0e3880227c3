import SallyportProtocol
import SallyportSQLite
import SallyportServer

#if canImport(CoreFoundation)
  // On Linux the members of `stat` may be found by way of this module first, and belong to it then.
  import CoreFoundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The server's directory: `sallyport.db` and `key`, for their owner only.
struct DataDirectory: Sendable {
  let store: SQLiteStore
  let masterKey: MasterKey

  init(path: String) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw Failure("cannot make the data directory \(path): \(Self.systemError)") }
    try Self.refuseOthers(path)
    self.masterKey = try Self.masterKey(at: path + "/key")
    do { self.store = try SQLiteStore(path: path + "/sallyport.db") } catch {
      throw Failure("cannot open the database in \(path): \(error)")
    }
  }

  /// Reads the key file, or makes it with mode 0600. Of several processes that start at once one makes it.
  private static func masterKey(at path: String) throws(Failure) -> MasterKey {
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else { throw Failure("cannot read the key file \(path): \(self.systemError)") }
      try self.makeKeyFile(at: path)
      return try self.masterKey(at: path)
    }
    defer { close(descriptor) }
    try self.refuseOthers(path)
    var text = [UInt8](repeating: 0, count: 256)
    let count = text.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    let line = String(decoding: text.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").first ?? ""
    guard let material = Base64URL.decode(line), let key = MasterKey(Secret(material)) else {
      throw Failure("the key file \(path) is damaged; restore it, since the signing keys cannot be read without it")
    }
    return key
  }

  /// Written beside and linked into place, so that nobody ever reads half a key.
  private static func makeKeyFile(at path: String) throws(Failure) {
    let temporary = "\(path).\(getpid())"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("cannot make the key file \(path): \(self.systemError)") }
    defer { unlink(temporary) }
    let text = Array((Base64URL.encode(MasterKey.randomMaterial().reveal()) + "\n").utf8)
    let written = text.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let synced = fsync(descriptor)
    close(descriptor)
    guard written == text.count, synced == 0, link(temporary, path) == 0 || errno == EEXIST else {
      throw Failure("cannot write the key file \(path): \(self.systemError)")
    }
  }

  private static func refuseOthers(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure("cannot look at \(path): \(self.systemError)") }
    guard status.st_mode & 0o077 == 0, status.st_uid == geteuid() else {
      throw Failure("\(path) is open to other users; make it yours alone (chmod go= \(path))")
    }
  }

  private static var systemError: String { String(cString: strerror(errno)) }
}
