#if !os(Windows)
  import Crypto
  public import Sallyport
  public import SallyportProtocol

  /// A token store that encrypts each value with AES-GCM in its own file with mode 0600. The key is in the same folder
  /// (rule C-22).
  ///
  /// Use it on machines without a Secret Service. Writes are atomic. When ``save(_:for:)`` returns, the value is on the
  /// disk. The store rejects a folder or file that other users can read or write, that is a symbolic link, or that
  /// belongs to another user.
  ///
  /// **What this doesn't protect against.** The key is a file in the same folder, so any program that runs as this user
  /// can read the key and decrypt the values. Root, anyone with access to the unencrypted disk, and anyone with a
  /// backup of the whole folder can do this too. The encryption protects a single file that leaks, for example into a
  /// bug report, a search index, or a backup without the key. The store also detects a file that was modified or
  /// swapped with another file. It doesn't detect a file that was replaced with an older version of itself. If a Secret
  /// Service is available, prefer ``SecretServiceStore``: its values are usually locked while the user isn't signed in
  /// to the desktop.
  public struct EncryptedFileStore: TokenStore {
    private let folder: String?
    private let leases: FileLeases

    /// Creates a store in the given folder.
    /// - Parameter folder: An absolute path. Each app needs a folder of its own.
    public init(folder: String) {
      self.init(path: folder)
    }

    /// Creates a store for an application, in the folder `$XDG_DATA_HOME/{application}`, or
    /// `~/.local/share/{application}`.
    public init(application: ApplicationName) {
      self.init(application: application, environment: .process)
    }

    package init(application: ApplicationName, environment: Environment) {
      self.init(path: environment.dataFolder(application))
    }

    private init(path: String?) {
      self.folder = path
      self.leases = FileLeases(folder: path)
    }

    /// Reads without a dedicated thread, because reading small files takes only microseconds.
    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      guard let path = self.folder else { throw .noHome }
      guard let folder = try PrivateFolder(existing: path), let file = try folder.read(Self.name(key)) else { return nil }
      guard let secret = try FileKey.existing(in: folder) else { throw .damaged(reason: "the key file is missing") }
      return Secret(try SealedFile.open(file, for: key, with: secret))
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      guard let path = self.folder else { throw .noHome }
      try await DedicatedThread.run("store") { () throws(TokenStoreError) in
        let folder = try PrivateFolder(creating: path)
        try folder.lock()
        let secret = try FileKey.existingOrNew(in: folder)
        try folder.replace(Self.name(key), with: try SealedFile.seal(value.reveal(), for: key, with: secret))
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      guard let path = self.folder else { throw .noHome }
      try await DedicatedThread.run("store") { () throws(TokenStoreError) in
        guard let folder = try PrivateFolder(existing: path) else { return }
        try folder.lock()
        try folder.remove(Self.name(key))
      }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await self.leases.withLease(on: key, body)
    }

    private static func name(_ key: TokenStoreKey) -> String {
      key.fileName + ".sealed"
    }
  }

  extension TokenStoreError {
    static let noHome = TokenStoreError.unavailable(
      reason: "neither XDG_DATA_HOME nor HOME is set to an absolute path")
  }
#endif
