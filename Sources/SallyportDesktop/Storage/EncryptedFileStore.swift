#if !os(Windows)
  import Crypto
  public import Sallyport
  public import SallyportProtocol

  /// Keeps each value in a file of its own with mode 0600, sealed with AES-GCM under a key that lies beside it (rule C-22).
  ///
  /// For machines without a Secret Service. Writes are atomic and on the disk when ``save(_:for:)`` returns. A folder or file
  /// that others can read or write, that is a symbolic link or that belongs to somebody else is refused.
  ///
  /// **What this does not protect against.** The key is a file in the same folder, readable by the same user: every program that
  /// runs as this user can read the key and with it the values, and so can root, whoever gets hold of the unencrypted disk, and
  /// whoever reads a backup of the whole folder. The sealing does protect a single file that strays (into a bug report, a search
  /// index, a backup without the key), and it shows when a file was altered or put in another's place. It does not show when a
  /// file was replaced by an older version of itself. Where a Secret Service answers, ``SecretServiceStore`` is the better place:
  /// it is locked while nobody is signed in to the desktop.
  public struct EncryptedFileStore: TokenStore {
    private let folder: String?
    private let leases: FileLeases

    /// - Parameter folder: an absolute path; by default `$XDG_DATA_HOME/sallyport`, or `~/.local/share/sallyport`.
    public init(folder: String? = nil) {
      self.init(path: folder ?? Environment.process.dataFolder(.sallyport))
    }

    /// The store of an application, in a folder of its own beside the default one.
    public init(application: ApplicationName) {
      self.init(application: application, environment: .process)
    }

    package init(application: ApplicationName = .sallyport, environment: Environment) {
      self.init(path: environment.dataFolder(application))
    }

    private init(path: String?) {
      self.folder = path
      self.leases = FileLeases(folder: path)
    }

    /// Reads at once, without leaving the caller's thread: three small files, in microseconds.
    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      guard let path = self.folder else { throw .noHome }
      guard let folder = try PrivateFolder(existing: path), let file = try folder.read(Self.name(key)) else { return nil }
      guard let secret = try FileKey.existing(in: folder) else { throw .damaged(reason: "the key file is missing") }
      return Secret(try SealedFile.open(file, for: key, with: secret))
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      guard let path = self.folder else { throw .noHome }
      try await OwnThread.run("store") { () throws(TokenStoreError) in
        let folder = try PrivateFolder(creating: path)
        try folder.lock()
        let secret = try FileKey.existingOrNew(in: folder)
        try folder.replace(Self.name(key), with: try SealedFile.seal(value.reveal(), for: key, with: secret))
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      guard let path = self.folder else { throw .noHome }
      try await OwnThread.run("store") { () throws(TokenStoreError) in
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
    static let noHome = TokenStoreError.unavailable(reason: "neither XDG_DATA_HOME nor HOME names a folder")
  }
#endif
