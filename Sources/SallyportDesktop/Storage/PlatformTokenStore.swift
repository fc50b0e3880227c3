#if !os(Windows)
  public import Sallyport
  public import SallyportProtocol

  /// The best store that this machine has: the Secret Service or the Keychain where one answers, else the encrypted file (rule C-22).
  ///
  /// The first value that is saved decides, and the decision is written down beside the encrypted files, so that no grant is lost
  /// because a later run finds another store. There is no silent fall-back: a session whose grants rest in the Secret Service gets
  /// ``TokenStoreError/unavailable(reason:)`` where that does not answer, for example over SSH. ``place()`` tells which one it is.
  ///
  /// `SALLYPORT_STORE=secret-service`, `keychain` or `file` overrides the decision for the runs that see the variable, and is
  /// not written down.
  public struct PlatformTokenStore: TokenStore {
    /// Where the values rest.
    public enum Place: String, Sendable {
      case secretService = "secret-service"
      /// The data-protection Keychain of macOS, for programs with an application identifier.
      case keychain
      case encryptedFile = "file"
    }

    private let application: ApplicationName
    private let environment: Environment

    /// - Parameter application: whose values these are. A tool that gives the name of another one of its publisher reads that one's
    ///   sessions; it has to use the same issuer, client and account.
    public init(application: ApplicationName = .sallyport) {
      self.init(application: application, environment: .process)
    }

    package init(application: ApplicationName = .sallyport, environment: Environment) {
      self.application = application
      self.environment = environment
    }

    /// Where the next value will be saved; asks the system where nothing is decided yet.
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
      // Undecided means that nothing was ever saved.
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

    /// What the operator or an earlier save decided.
    private func decided() throws(TokenStoreError) -> Place? {
      if let override = self.environment["SALLYPORT_STORE"] {
        guard let place = Place(rawValue: override) else {
          throw .unavailable(reason: "SALLYPORT_STORE is none of secret-service, keychain and file")
        }
        return place
      }
      guard let path = self.folder else { throw .noHome }
      guard let folder = try PrivateFolder(existing: path) else { return nil }
      return try StoreDecision.read(in: folder)
    }

    /// Decides, if nobody has, and writes it down before anything is stored by it.
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
    /// The Secret Service or the Keychain where one answers, else the encrypted file; see ``PlatformTokenStore``.
    public static var platformDefault: PlatformTokenStore { PlatformTokenStore() }
  }
#endif
