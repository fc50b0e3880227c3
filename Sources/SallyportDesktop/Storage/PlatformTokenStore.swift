#if !os(Windows)
  public import Sallyport
  public import SallyportProtocol

  /// The best token store on this machine: the Secret Service or the Keychain if available, otherwise an encrypted file
  /// (rule C-22).
  ///
  /// The first save chooses the store and records the choice in the data folder, so that a later run doesn't look in
  /// another store. There is no silent fallback: if the tokens are in the Secret Service and it is unavailable, for
  /// example over SSH, calls throw ``TokenStoreError/unavailable(reason:)``. ``place()`` returns the current choice.
  ///
  /// The environment variable `SALLYPORT_STORE` (`secret-service`, `keychain`, or `file`) overrides the choice without
  /// changing the record.
  public struct PlatformTokenStore: TokenStore {
    /// The kind of store that keeps the values.
    public enum Place: String, Sendable {
      case secretService = "secret-service"
      /// The data-protection Keychain of macOS, for programs with an application identifier.
      case keychain
      case encryptedFile = "file"
    }

    private let application: ApplicationName
    private let environment: Environment

    /// Creates a store for an application.
    /// - Parameter application: The application that the values belong to. A tool that uses another program's name can
    ///   read that program's sessions, if it also uses the same issuer, client, and account.
    public init(application: ApplicationName = .sallyport) {
      self.init(application: application, environment: .process)
    }

    package init(application: ApplicationName = .sallyport, environment: Environment) {
      self.application = application
      self.environment = environment
    }

    /// The store that the next save uses. If none has been chosen yet, this checks which one is available.
    public func place() async throws(TokenStoreError) -> Place {
      if let place = try self.decided() { return place }
      do {
        #if os(Linux)
          guard SecretServiceStore.hasBus(self.environment) else { return .encryptedFile }
          try await SecretServiceStore(application: self.application, environment: self.environment).probe()
          return .secretService
        #elseif canImport(Security)
          try await KeychainTokenStore(service: self.application.description).probe()
          return .keychain
        #else
          return .encryptedFile
        #endif
      } catch {
        return .encryptedFile
      }
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      // If no store has been chosen, nothing has been saved.
      guard let place = try self.decided() else { return nil }
      return try await self.store(place).load(key)
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      let place = try await self.decide()
      try await self.store(place).save(value, for: key)
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      guard let place = try self.decided() else { return }
      try await self.store(place).remove(key)
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await FileLeases(folder: self.folder).withLease(on: key, body)
    }

    private var folder: String? { self.environment.dataFolder(self.application) }

    private func store(_ place: Place) throws(TokenStoreError) -> any TokenStore {
      switch place {
      case .encryptedFile:
        return EncryptedFileStore(application: self.application, environment: self.environment)
      case .keychain:
        #if canImport(Security)
          return KeychainTokenStore(service: self.application.description)
        #else
          throw .unavailable(reason: "this system has no Keychain")
        #endif
      case .secretService:
        #if os(Linux)
          return SecretServiceStore(application: self.application, environment: self.environment)
        #else
          throw .unavailable(reason: "this system has no Secret Service")
        #endif
      }
    }

    /// The store according to the environment variable or an earlier save.
    private func decided() throws(TokenStoreError) -> Place? {
      if let override = self.environment["SALLYPORT_STORE"] {
        guard let place = Place(rawValue: override) else {
          throw .unavailable(
            reason: "SALLYPORT_STORE must be secret-service, keychain, or file, not \"\(override)\"")
        }
        return place
      }
      guard let path = self.folder else { throw .noHome }
      guard let folder = try PrivateFolder(existing: path) else { return nil }
      return try StoreDecision.read(in: folder)
    }

    /// Returns the chosen store. If there is none, chooses one and records the choice before anything is stored.
    private func decide() async throws(TokenStoreError) -> Place {
      if let place = try self.decided() { return place }
      let found = try await self.place()
      guard let path = self.folder else { throw .noHome }
      return try await OwnThread.run("store") { () throws(TokenStoreError) in
        let folder = try PrivateFolder(creating: path)
        try folder.lock()
        if let place = try StoreDecision.read(in: folder) { return place }
        try StoreDecision.write(found, in: folder)
        return found
      }
    }
  }

  extension TokenStore where Self == PlatformTokenStore {
    /// The Secret Service or the Keychain if available, otherwise an encrypted file; see ``PlatformTokenStore``.
    public static var platformDefault: PlatformTokenStore { PlatformTokenStore() }
  }
#endif
