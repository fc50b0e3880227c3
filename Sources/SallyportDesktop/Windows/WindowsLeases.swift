import SallyportSystem

#if os(Windows)
  import Sallyport
  import WinSDK

  /// Leases on stored values. A lease on a key excludes other tasks and processes: it locks the first byte of an empty
  /// file for this key. Windows releases the lock when the process exits.
  struct WindowsLeases: Sendable {
    /// The folder for the lock files. Without a folder, every lease fails.
    let folder: String?

    /// The pauses between attempts, in milliseconds. The last pause repeats.
    private static let backOff: [Int] = [1, 2, 5, 10, 20]

    func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
      guard let folder = self.folder else { throw TokenStoreError.unavailable(reason: "LOCALAPPDATA is not set") }
      CreateDirectoryW(WindowsText.nullTerminatedUTF16(folder), nil)
      let file = try LockFile("\(folder)\\\(key.fileName).lock")
      var attempt = 0
      while try !file.tryLock() {
        let pause = Self.backOff[min(attempt, Self.backOff.count - 1)]
        attempt += 1
        try await Task.sleep(for: .milliseconds(pause))
      }
      try Task.checkCancellation()
      return try await body()
    }
  }

  /// An open file. Closing it releases its lock.
  private struct LockFile: ~Copyable {
    private let handle: UInt

    init(_ path: String) throws(TokenStoreError) {
      // GENERIC_READ | GENERIC_WRITE; FILE_SHARE_READ | FILE_SHARE_WRITE; OPEN_ALWAYS; FILE_ATTRIBUTE_NORMAL. Child
      // processes don't inherit the handle.
      let handle = CreateFileW(WindowsText.nullTerminatedUTF16(path), 0xC000_0000, 0x3, nil, 4, 0x80, nil)
      guard let handle, Int(bitPattern: handle) != -1 else {
        throw .failed(reason: "cannot open a lock file: \(SystemError())")
      }
      self.handle = UInt(bitPattern: handle)
    }

    deinit {
      CloseHandle(HANDLE(bitPattern: self.handle))
    }

    /// - Returns: `false` if another process or task holds the lock.
    func tryLock() throws(TokenStoreError) -> Bool {
      var region = OVERLAPPED()
      // LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY
      if LockFileEx(HANDLE(bitPattern: self.handle), 0x3, 0, 1, 0, &region) { return true }
      let error = SystemError()
      // ERROR_LOCK_VIOLATION, ERROR_IO_PENDING
      guard error.code == 33 || error.code == 997 else { throw .failed(reason: "cannot lock the file: \(error)") }
      return false
    }
  }
#endif
