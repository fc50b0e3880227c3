#if canImport(Security)
  import Dispatch
  public import SallyportProtocol

  /// A token store that uses the data-protection Keychain (rule C-22; RFC 8252 Appendix B.1 and B.4).
  ///
  /// Values are readable after the first unlock of the device, are never synchronized, and are never restored to
  /// another device. Each value is a single item, and saving replaces the whole item. Other apps cannot read the items,
  /// except apps of the same team in the same access group.
  ///
  /// The data-protection Keychain requires an application identifier. In a macOS command-line tool without one, calls
  /// throw ``TokenStoreError/unavailable(reason:)``. The store never falls back to another storage location.
  public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let accessGroup: String?
    private let earlierGroup: String?
    private let leases: LeaseFolder

    /// Creates a store that only this program uses. Its lock files are in the app's Application Support folder.
    /// - Parameter service: The service attribute of the items (`kSecAttrService`).
    public init(service: String = "sallyport") {
      self.init(service: service, leases: LeaseFolder(path: LeaseFolder.appPath))
    }

    /// Creates a store that several programs of a team share, such as an app and its extensions.
    /// - Parameters:
    ///   - service: The service attribute of the items (`kSecAttrService`), which is the same in all these programs.
    ///   - group: The access group of the items, and the app group that contains the locks.
    ///   - earlierGroup: The access group in which earlier versions of this program stored their items. If those
    ///     versions used a store without a group, this is the first group of the entitlement `keychain-access-groups`
    ///     or, if they didn't have that entitlement, the application identifier (`TEAMID.com.example.notes`). Each item
    ///     moves when it is first loaded. Omit this parameter in programs that may not use that group, such as
    ///     extensions.
    public init(service: String = "sallyport", sharedIn group: SharedKeychainGroup, movingFrom earlierGroup: String? = nil) {
      self.init(service: service, accessGroup: group.accessGroup, movingFrom: earlierGroup, leases: group.leases)
    }

    init(service: String, accessGroup: String? = nil, movingFrom earlierGroup: String? = nil, leases: LeaseFolder) {
      self.service = service
      self.accessGroup = accessGroup
      self.earlierGroup = earlierGroup
      self.leases = leases
    }

    public func load(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      let (item, earlierGroup) = (self.item(key), self.earlierGroup)
      return try await Self.blocking { () throws(TokenStoreError) in
        if let value = try item.read() { return value }
        guard let earlierGroup else { return nil }
        // Another process may move the item at the same time, so the item is read again even if nothing was moved.
        try item.move(from: earlierGroup)
        return try item.read()
      }
    }

    public func save(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) {
      let item = self.item(key)
      try await Self.blocking { () throws(TokenStoreError) in try item.replace(with: value) }
    }

    public func remove(_ key: TokenStoreKey) async throws(TokenStoreError) {
      let (item, earlierGroup) = (self.item(key), self.earlierGroup)
      try await Self.blocking { () throws(TokenStoreError) in
        // Remove the item of the earlier group first. Otherwise, a failure between the two calls would leave an item
        // that the next load moves back.
        if let earlierGroup { try item.inGroup(earlierGroup).remove() }
        try item.remove()
      }
    }

    public func withLease<R: Sendable>(
      on key: TokenStoreKey, _ body: @Sendable () async throws -> R
    ) async throws -> R {
      try await self.leases.withLease(on: key, body)
    }

    /// Checks that this program may use the Keychain, by loading a key that is never stored.
    /// - Throws: ``TokenStoreError`` if the Keychain cannot be used.
    package func probe() async throws(TokenStoreError) {
      _ = try await self.load(TokenStoreKey(kind: "probe", issuer: "", clientID: ""))
    }

    private func item(_ key: TokenStoreKey) -> KeychainItem {
      KeychainItem(
        service: self.service, account: key.fileName, accessGroup: self.accessGroup,
        label: key.issuer.isEmpty ? "Sallyport" : "Sallyport: \(key.issuer)")
    }

    /// Runs `body` on a separate queue, because the Keychain runs in another process and a call blocks until it
    /// responds.
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
    /// The app's own Keychain items; see ``KeychainTokenStore``.
    public static var keychain: KeychainTokenStore { KeychainTokenStore() }
  }
#endif
