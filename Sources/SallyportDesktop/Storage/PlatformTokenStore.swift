#if !os(Windows)
  public import Sallyport
  public import SallyportProtocol

  /// The best token store on this machine: the Secret Service or the Keychain if available, otherwise an encrypted file
  /// (rule C-22).
  ///
  /// The best place is chosen when a value is first saved or moved. The choice is recorded in the data folder, so that
  /// a later run doesn't look in another place. There is no silent fallback: if the tokens are in the Secret Service
  /// and the service is unavailable, for example over SSH, calls throw ``TokenStoreError/unavailable(reason:)``. If the
  /// tokens are in the encrypted file and a Secret Service or Keychain has become available, the next sign-in chooses
  /// that place, and each value moves there when the value is next used. ``status()`` returns the current choice, and
  /// each choice is reported as an ``Event``.
  ///
  /// In previews of Sallyport before version 0.1, all programs shared one store. When an application first uses a
  /// client identifier, that client's sessions are moved from the shared store into the application's own store.
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

    /// A choice that the store has made, or a move of stored values.
    public enum Event: Sendable, Equatable {
      /// No store had been chosen before, and this store was chosen.
      /// - Parameter reason: Why no better store is used, or `nil` if this is the best store.
      case chosen(Place, reason: String?)
      /// A better store has become available. The values move there when they are next used.
      case changed(from: Place, to: Place)
      /// The sessions of this client were moved from the store that all programs shared in previews.
      case movedSessions(clientID: String)
    }

    /// The application that the values belong to.
    public let application: ApplicationName
    let environment: Environment
    let report: @Sendable (Event) -> Void

    /// Creates a store for an application.
    /// - Parameters:
    ///   - application: The application that the values belong to, for example `com.example.notes`. A tool that uses
    ///     another program's name can read that program's sessions, if it also uses the same issuer, client, and
    ///     account.
    ///   - report: Called after each choice of a store, and after sessions of a preview were moved.
    public init(application: ApplicationName, report: @escaping @Sendable (Event) -> Void = { _ in }) {
      self.init(application: application, environment: .process, report: report)
    }

    package init(
      application: ApplicationName, environment: Environment, report: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
      self.application = application
      self.environment = environment
      self.report = report
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      if let place = try self.decision()?.place, let value = try await self.store(place).load(key) { return value }
      return try await self.move(key)
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      try await self.excludingMoves { () throws(TokenStoreError) in
        if try await self.saveInBetterPlace(value, for: key) { return }
        try await self.store(self.chosenPlace()).save(value, for: key)
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      try await self.excludingMoves { () throws(TokenStoreError) in
        if let place = try self.decision()?.place { try await self.store(place).remove(key) }
        try await self.removeFromEarlierStores(key)
      }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await FileLeases(folder: self.folder).withLease(on: key, body)
    }

    var folder: String? { self.environment.dataFolder(self.application) }

    /// The store that keeps an application's values in the given place.
    func store(
      _ place: Place, of application: ApplicationName? = nil
    ) throws(TokenStoreError) -> any TokenStore {
      let application = application ?? self.application
      switch place {
      case .encryptedFile:
        return EncryptedFileStore(application: application, environment: self.environment)
      case .keychain:
        #if canImport(Security)
          return KeychainTokenStore(service: application.description)
        #else
          throw .unavailable(reason: "this system has no Keychain")
        #endif
      case .secretService:
        #if os(Linux)
          return SecretServiceStore(application: application, environment: self.environment)
        #else
          throw .unavailable(reason: "this system has no Secret Service")
        #endif
      }
    }
  }

  extension TokenStore where Self == PlatformTokenStore {
    /// The Secret Service or the Keychain if available, otherwise an encrypted file; see ``PlatformTokenStore``.
    /// - Parameter application: The application that the values belong to, for example `com.example.notes`.
    public static func platformDefault(application: ApplicationName) -> PlatformTokenStore {
      PlatformTokenStore(application: application)
    }

    #if canImport(Darwin)
      /// The store of the app with this program's bundle identifier.
      /// - Throws: ``TokenStoreError/unavailable(reason:)`` if the program has no bundle identifier. Use
      ///   ``platformDefault(application:)`` then.
      public static var platformDefault: PlatformTokenStore {
        get throws(TokenStoreError) {
          guard let application = ApplicationName.bundleIdentifier else {
            throw .unavailable(reason: "this program has no bundle identifier; pass an application name")
          }
          return PlatformTokenStore(application: application)
        }
      }
    #endif
  }
#endif
