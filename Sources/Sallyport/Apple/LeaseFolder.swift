#if canImport(Security)
  import Foundation
  import SallyportProtocol

  #if canImport(Darwin)
    import Darwin
  #endif

  /// Provides leases for a store that has no locks of its own: one empty lock file for each key.
  ///
  /// The kernel releases the lock of a process that exits. iOS terminates an app that is suspended while it holds a
  /// lock in a shared container. This is rare, because a lease lasts only for a few requests, and it loses no data,
  /// because another process can complete an interrupted refresh (see ``RefreshTransaction``).
  struct LeaseFolder: Sendable {
    let path: String?

    /// A folder in the app's Application Support folder, or in the user's if the program isn't sandboxed.
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
