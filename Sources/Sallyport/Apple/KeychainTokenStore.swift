#if canImport(Security)
  import Dispatch
  public import SallyportProtocol

  /// Keeps values in the data-protection Keychain (rule C-22; RFC 8252 Appendix B.1 and B.4).
  ///
  /// Readable after the device was unlocked once since its start, never synchronised and never restored on another device. Each
  /// value is one item, and a save replaces it as a whole. Other apps cannot read it, but for those of the same team in the
  /// same access group.
  ///
  /// The data-protection Keychain asks for an application identifier: a command-line tool on macOS without one gets
  /// ``TokenStoreError/unavailable(reason:)``, and nothing else is tried in its place.
  public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let accessGroup: String?
    private let leases: LeaseFolder

    /// - Parameters:
    ///   - service: the items' service.
    ///   - accessGroup: a Keychain access group, for an app with extensions, or tools of one publisher that share sessions.
    ///   - leaseFolder: where the lock files rest: the app group's container where there is an access group, so that all who
    ///     share the grants share the locks; by default the app's own Application Support folder.
    public init(service: String = "sallyport", accessGroup: String? = nil, leaseFolder: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
      self.leases = LeaseFolder(path: leaseFolder ?? LeaseFolder.ofApp)
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      let item = self.item(key)
      return try await Self.blocking { () throws(TokenStoreError) in try item.read() }
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      let item = self.item(key)
      try await Self.blocking { () throws(TokenStoreError) in try item.replace(with: value) }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      let item = self.item(key)
      try await Self.blocking { () throws(TokenStoreError) in try item.remove() }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await self.leases.withLease(on: key, body)
    }

    /// Whether this program may use the Keychain; asks for a value that nobody stores.
    package func probe() async throws(TokenStoreError) {
      _ = try await self.load(TokenStoreKey(kind: "probe", issuer: "", clientID: ""))
    }

    private func item(_ key: TokenStoreKey) -> KeychainItem {
      KeychainItem(
        service: self.service, account: key.fileName, accessGroup: self.accessGroup,
        label: key.issuer.isEmpty ? "Sallyport" : "Sallyport: \(key.issuer)")
    }

    /// The Keychain answers from another process and blocks until then.
    private static func blocking<R: Sendable>(
      _ body: @escaping @Sendable () throws(TokenStoreError) -> R
    ) async throws(TokenStoreError) -> R {
      let result: Result<R, TokenStoreError> = await withCheckedContinuation { continuation in
        DispatchQueue(label: "sallyport.keychain").async { continuation.resume(returning: Result(catching: body)) }
      }
      return try result.get()
    }
  }

  extension TokenStore where Self == KeychainTokenStore {
    /// The app's own Keychain; see ``KeychainTokenStore``.
    public static var keychain: KeychainTokenStore { KeychainTokenStore() }
  }
#endif
