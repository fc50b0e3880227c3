#if !os(Windows)
  import Sallyport

  /// Leases on stored values: an advisory lock on a separate file for each key.
  ///
  /// Lock files are never removed. Otherwise, two processes could lock two different files with the same name.
  struct FileLeases: Sendable {
    /// The folder for the lock files. Without a folder, every lease fails.
    let folder: String?

    func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
      guard let path = self.folder else { throw TokenStoreError.noHome }
      let file = try PrivateFolder(creating: path).lockFile(key.fileName + ".lock")
      return try await AdvisoryLock.withLock(on: file.raw, body)
    }
  }
#endif
