#if canImport(Security)
  import Foundation
  import SallyportProtocol

  #if canImport(Darwin)
    import Darwin
  #endif

  /// Provides leases (``TokenStore/withLease(on:_:)``) for a store that has no locks of its own: one empty lock file
  /// for each key.
  ///
  /// The kernel releases the lock of a process that exits. iOS terminates an app that is suspended while it holds a
  /// lock in a shared container. Such a termination is rare, because a lease lasts only for a few requests. The
  /// termination loses no data, because another process can complete an interrupted refresh (see
  /// ``RefreshTransaction``).
  struct LeaseFolder: Sendable {
    /// The folder for the lock files; `nil` if the system has no Application Support folder.
    let path: String?

    /// The folder `sallyport` in the Application Support folder: the app's own if the app is sandboxed, otherwise the
    /// user's.
    static var appPath: String? {
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first.map { $0.path + "/sallyport" }
    }

    func withLease<R: Sendable>(on key: TokenStoreKey, _ body: @Sendable () async throws -> R) async throws -> R {
      guard let path = self.path else {
        throw TokenStoreError.unavailable(reason: "there is no Application Support folder")
      }
      do {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      } catch {
        throw TokenStoreError.failed(reason: "cannot create the folder for lock files")
      }
      let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
      let descriptor = open("\(path)/\(key.fileName).lock", flags, 0o600)
      guard descriptor >= 0 else { throw TokenStoreError.failed(reason: "cannot open a lock file") }
      defer { close(descriptor) }
      return try await AdvisoryLock.withLock(on: descriptor, body)
    }
  }
#endif
