#if os(Windows)
  public import Sallyport

  /// Keeps values in Windows' Credential Manager, encrypted under the person's Windows account (rule C-22).
  ///
  /// A value of more than 2,560 bytes is kept in several credentials; a save replaces it as a whole all the same. Every program that
  /// runs as this person can read the credentials: they are safe from other users and from whoever gets hold of the disk.
  public struct CredentialManagerStore: TokenStore {
    private let application: ApplicationName
    private let leases: WindowsLeases

    /// - Parameter application: whose values these are.
    public init(application: ApplicationName = .sallyport) {
      self.application = application
      self.leases = WindowsLeases(folder: Environment.process.dataFolder(application))
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      let name = self.name(key)
      return try await OwnThread.run("store") { () throws(TokenStoreError) in
        try SplitCredentials(vault: WindowsCredentials()).load(name).map { Secret($0) }
      }
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      let name = self.name(key)
      try await OwnThread.run("store") { () throws(TokenStoreError) in
        try SplitCredentials(vault: WindowsCredentials()).save(value.reveal(), name)
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      let name = self.name(key)
      try await OwnThread.run("store") { () throws(TokenStoreError) in
        try SplitCredentials(vault: WindowsCredentials()).remove(name)
      }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await self.leases.withLease(on: key, body)
    }

    private func name(_ key: TokenStoreKey) -> String {
      "\(self.application):\(key.fileName)"
    }
  }

  extension TokenStore where Self == CredentialManagerStore {
    /// The Credential Manager; see ``CredentialManagerStore``.
    public static var platformDefault: CredentialManagerStore { CredentialManagerStore() }
  }
#endif
