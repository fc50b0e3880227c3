#if os(Windows)
  public import Sallyport

  /// A token store that uses the Credential Manager of Windows, which encrypts values for the user's Windows account
  /// (rule C-22).
  ///
  /// A value of 2,560 bytes or more is split into several credentials, but still replaced as a whole. Any program that
  /// runs as this user can read the credentials. They are protected from other users and from access to the disk.
  public struct CredentialManagerStore: TokenStore {
    private let application: ApplicationName
    private let leases: WindowsLeases

    /// Creates a store for an application.
    /// - Parameter application: The application that the values belong to.
    public init(application: ApplicationName) {
      self.application = application
      self.leases = WindowsLeases(folder: Environment.process.dataFolder(application))
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      let name = self.name(key)
      return try await DedicatedThread.run("store") { () throws(TokenStoreError) in
        try SplitCredentials(vault: WindowsCredentials()).load(name).map { Secret($0) }
      }
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      let name = self.name(key)
      try await DedicatedThread.run("store") { () throws(TokenStoreError) in
        try SplitCredentials(vault: WindowsCredentials()).save(value.reveal(), name)
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      let name = self.name(key)
      try await DedicatedThread.run("store") { () throws(TokenStoreError) in
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
    /// - Parameter application: The application that the values belong to, for example `com.example.notes`.
    public static func platformDefault(application: ApplicationName) -> CredentialManagerStore {
      CredentialManagerStore(application: application)
    }
  }
#endif
