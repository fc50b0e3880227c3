#if os(Linux)
  public import Sallyport
  public import SallyportProtocol

  /// A token store that uses the desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC) through libsecret (rule
  /// C-22).
  ///
  /// libsecret is loaded when the store is first used, so that it is required only by programs that use this store.
  /// If the collection is locked, the service may ask the user to unlock it, and a call waits up to two minutes for
  /// this. If there is no session bus or no service, or the collection stays locked, calls throw
  /// ``TokenStoreError/unavailable(reason:)``; there is no fallback.
  ///
  /// Any program in the same desktop session can read values from an unlocked Secret Service. The service protects
  /// values from other users and from access to the disk, but not from the user's other programs.
  public struct SecretServiceStore: TokenStore {
    private let application: ApplicationName
    private let environment: Environment
    private let leases: FileLeases
    private let timeLimit: Duration

    /// Creates a store for an application.
    /// - Parameter application: The application that the values belong to.
    public init(application: ApplicationName) {
      self.init(application: application, environment: .process)
    }

    package init(
      application: ApplicationName, environment: Environment, timeLimit: Duration = .seconds(120)
    ) {
      self.application = application
      self.environment = environment
      self.leases = FileLeases(folder: environment.dataFolder(application))
      self.timeLimit = timeLimit
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      let attributes = self.attributes(key)
      let text = try await self.call { (library, cancellation) throws(TokenStoreError) in
        try library.lookUp(attributes, cancellation)
      }
      guard let text else { return nil }
      guard let value = Base64URL.decode(text.reveal()) else {
        throw .damaged(reason: "the value in the Secret Service was not stored by Sallyport")
      }
      return Secret(value)
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      // The simple API of libsecret stores secrets as C strings, so encode the value as text.
      let text = Secret(Base64URL.encode(value.reveal()))
      let label = key.issuer.isEmpty ? "Sallyport" : "Sallyport: \(key.issuer)"
      let attributes = self.attributes(key)
      try await self.call { (library, cancellation) throws(TokenStoreError) in
        try library.store(text, attributes, label: label, cancellation)
      }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      let attributes = self.attributes(key)
      try await self.call { (library, cancellation) throws(TokenStoreError) in
        try library.clear(attributes, cancellation)
      }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await self.leases.withLease(on: key, body)
    }

    /// Checks whether a service is available, by loading a value that is never saved.
    package func probe() async throws(TokenStoreError) {
      _ = try await self.load(TokenStoreKey(kind: "probe", issuer: "", clientID: ""))
    }

    /// Whether the desktop session has a D-Bus session bus. This check loads no library.
    package static func hasBus(_ environment: Environment) -> Bool {
      if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
      return environment.folder("XDG_RUNTIME_DIR").map { FileSystem.exists($0 + "/bus") } ?? false
    }

    /// Every attribute is always set, because a search without an attribute matches items with any value of that
    /// attribute.
    private func attributes(_ key: TokenStoreKey) -> [String: String] {
      [
        "application": self.application.description, "kind": key.kind, "issuer": key.issuer, "client_id": key.clientID,
        "account": key.account ?? "",
      ]
    }

    private func call<R: Sendable>(
      _ body: @escaping @Sendable (LibSecret, SecretServiceCancellation) throws(TokenStoreError) -> R
    ) async throws(TokenStoreError) -> R {
      guard Self.hasBus(self.environment) else { throw .unavailable(reason: "there is no session bus") }
      let cancellation = SecretServiceCancellation()
      let timeLimit = self.timeLimit
      let result: Result<R, TokenStoreError> = await withTaskCancellationHandler {
        await DedicatedThread.result("secret-service") { () throws(TokenStoreError) in
          let library = try LibSecret()
          return try cancellation.run(with: library, timeLimit: timeLimit) { () throws(TokenStoreError) in
            try body(library, cancellation)
          }
        }
      } onCancel: {
        cancellation.cancel()
      }
      return try result.get()
    }
  }
#endif
