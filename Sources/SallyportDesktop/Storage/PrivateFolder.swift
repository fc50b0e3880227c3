import SallyportSystem

#if !os(Windows)
  import Sallyport

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #else
    import Darwin
  #endif

  /// An open folder that only its owner can access, and the small files in it.
  ///
  /// All operations use the folder's descriptor, so that nobody can replace the folder after it was checked. A folder
  /// or file is rejected if it is a symbolic link, if it belongs to another user, or if other users can access it (rule
  /// C-22). Parent folders are not checked.
  struct PrivateFolder: ~Copyable {
    let path: String
    private let descriptor: OwnedDescriptor

    /// The maximum size of a file that is read, in bytes. Stored values are smaller.
    static let maximumFileSize = 1 << 20

    /// Opens the folder. Returns `nil` if it doesn't exist.
    init?(existing path: String) throws(TokenStoreError) {
      guard let descriptor = OwnedDescriptor(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) else {
        switch errno {
        case ENOENT: return nil
        case ELOOP, ENOTDIR: throw .unsafePermissions(path: path)
        default: throw .failed(reason: "cannot open the data folder: \(SystemError())")
        }
      }
      try Self.check(descriptor, isFolder: true, path: path)
      self.path = path
      self.descriptor = descriptor
    }

    /// Opens the folder. Creates it and its parent folders with mode 0700 if they don't exist.
    init(creating path: String) throws(TokenStoreError) {
      if let folder = try PrivateFolder(existing: path) {
        self = folder
        return
      }
      // Errors of parent folders are ignored: if a parent folder is missing, the `mkdir` of the folder itself fails.
      for end in path.indices.dropFirst() where path[end] == "/" {
        mkdir(String(path[..<end]), 0o700)
      }
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw .failed(reason: "cannot create the data folder: \(SystemError())")
      }
      guard let folder = try PrivateFolder(existing: path) else {
        throw .failed(reason: "the data folder was removed while it was being opened")
      }
      self = folder
    }

    /// Reads the file. Returns `nil` if it doesn't exist.
    func read(_ name: String) throws(TokenStoreError) -> [UInt8]? {
      // O_NONBLOCK: opening a FIFO must not wait for a writer.
      let raw = openat(self.descriptor.raw, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
      guard let file = OwnedDescriptor(raw) else {
        switch errno {
        case ENOENT: return nil
        case ELOOP: throw .unsafePermissions(path: "\(self.path)/\(name)")
        default: throw .failed(reason: "cannot open a stored file: \(SystemError())")
        }
      }
      let size = try Self.check(file, isFolder: false, path: "\(self.path)/\(name)")
      guard size <= Self.maximumFileSize else { throw .damaged(reason: "a stored file is too large") }
      return try Self.readAll(file, size: size)
    }

    /// Replaces the file atomically: after a crash at any point, either the old or the new content is on the disk.
    ///
    /// The caller must hold ``lock()``, so that the temporary file has only one writer. A temporary file that a crash
    /// left behind is replaced.
    func replace(_ name: String, with content: [UInt8]) throws(TokenStoreError) {
      let temporary = name + ".new"
      unlinkat(self.descriptor.raw, temporary, 0)
      do {
        let raw = openat(self.descriptor.raw, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard let file = OwnedDescriptor(raw) else { throw SystemError() }
        try Self.writeAll(content, to: file)
        // Sync the content before the rename, and the folder after it.
        guard fsync(file.raw) == 0 else { throw SystemError() }
        guard renameat(self.descriptor.raw, temporary, self.descriptor.raw, name) == 0 else { throw SystemError() }
        guard fsync(self.descriptor.raw) == 0 else { throw SystemError() }
      } catch {
        unlinkat(self.descriptor.raw, temporary, 0)
        throw .failed(reason: "cannot write a stored file: \(error)")
      }
    }

    /// Removes the file, if it exists.
    func remove(_ name: String) throws(TokenStoreError) {
      guard unlinkat(self.descriptor.raw, name, 0) == 0 else {
        if errno == ENOENT { return }
        throw .failed(reason: "cannot remove a stored file: \(SystemError())")
      }
      fsync(self.descriptor.raw)
    }

    /// Waits for the folder's lock, which excludes other writers in this and other processes. The lock is held for the
    /// lifetime of this value.
    func lock() throws(TokenStoreError) {
      guard SystemError.retrying({ Int(flock(self.descriptor.raw, LOCK_EX)) }) == 0 else {
        throw .failed(reason: "cannot lock the data folder: \(SystemError())")
      }
    }

    /// Opens an empty lock file. Creates it if it doesn't exist.
    func lockFile(_ name: String) throws(TokenStoreError) -> OwnedDescriptor {
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
      guard let file = OwnedDescriptor(openat(self.descriptor.raw, name, flags, 0o600)) else {
        if errno == ELOOP { throw .unsafePermissions(path: "\(self.path)/\(name)") }
        throw .failed(reason: "cannot open a lock file: \(SystemError())")
      }
      try Self.check(file, isFolder: false, path: "\(self.path)/\(name)")
      return file
    }

    /// Checks the type, owner, and permissions.
    /// - Returns: The size in bytes.
    @discardableResult
    private static func check(
      _ file: borrowing OwnedDescriptor, isFolder: Bool, path: String
    ) throws(TokenStoreError) -> Int {
      var status = stat()
      guard fstat(file.raw, &status) == 0 else { throw .failed(reason: "cannot examine a stored file: \(SystemError())") }
      guard status.st_mode & S_IFMT == (isFolder ? S_IFDIR : S_IFREG), status.st_uid == geteuid(), status.st_mode & 0o077 == 0
      else { throw .unsafePermissions(path: path) }
      return Int(status.st_size)
    }

    private static func readAll(_ file: borrowing OwnedDescriptor, size: Int) throws(TokenStoreError) -> [UInt8] {
      var content = [UInt8](repeating: 0, count: size)
      var filled = 0
      while filled < size {
        let raw = file.raw
        let count = SystemError.retrying { content[filled...].withUnsafeMutableBytes { systemRead(raw, $0) } }
        guard count >= 0 else { throw .failed(reason: "cannot read a stored file: \(SystemError())") }
        if count == 0 { break }
        filled += count
      }
      return Array(content[..<filled])
    }

    private static func writeAll(_ content: [UInt8], to file: borrowing OwnedDescriptor) throws(SystemError) {
      let raw = file.raw
      // The umask may have removed permissions of the owner.
      guard fchmod(raw, 0o600) == 0 else { throw SystemError() }
      var rest = content[...]
      while !rest.isEmpty {
        let count = SystemError.retrying { rest.withUnsafeBytes { write(raw, $0.baseAddress, $0.count) } }
        guard count > 0 else { throw SystemError() }
        rest = rest.dropFirst(count)
      }
    }
  }
#endif
