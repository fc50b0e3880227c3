#if canImport(Security)
  import Foundation
  import SallyportProtocol
  import Security

  /// A generic password in the data-protection Keychain.
  struct KeychainItem: Sendable {
    let service: String
    let account: String
    /// The Keychain access group, or `nil` to search all access groups of this program, and to add items to its default
    /// group.
    let accessGroup: String?
    let label: String

    func read() throws(TokenStoreError) -> Secret<[UInt8]>? {
      var query = self.identity
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      try Self.check(status)
      guard let data = result as? Data else { throw .damaged(reason: "the Keychain item holds no data") }
      return Secret(Array(data))
    }

    /// Updates the item, or adds it if it doesn't exist. Updating and adding are each a single Keychain operation, so a
    /// failure leaves either the old value or the new one.
    func replace(with value: Secret<[UInt8]>) throws(TokenStoreError) {
      let content: [String: Any] = [
        kSecValueData as String: Data(value.reveal()),
        kSecAttrLabel as String: self.label,
        kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = self.update(content)
      if status == errSecItemNotFound {
        let item = self.identity.merging(content) { $1 }
        status = SecItemAdd(item as CFDictionary, nil)
        // Another process added the item between the two calls.
        if status == errSecDuplicateItem { status = self.update(content) }
      }
      try Self.check(status)
    }

    /// Moves the item from another access group to ``accessGroup``, if the other group contains it and ``accessGroup``
    /// does not. A single Keychain operation does this, so a concurrent process cannot save a newer value that the move
    /// would overwrite. Does nothing if ``accessGroup`` is `nil`.
    func move(from otherGroup: String) throws(TokenStoreError) {
      guard let accessGroup else { return }
      let status = self.inGroup(otherGroup).update([kSecAttrAccessGroup as String: accessGroup])
      // The other group doesn't contain the item, or another process has added the item to this group.
      if status == errSecItemNotFound || status == errSecDuplicateItem { return }
      try Self.check(status)
    }

    /// The same item in another access group.
    func inGroup(_ otherGroup: String) -> KeychainItem {
      KeychainItem(service: self.service, account: self.account, accessGroup: otherGroup, label: self.label)
    }

    func remove() throws(TokenStoreError) {
      let status = SecItemDelete(self.identity as CFDictionary)
      if status == errSecItemNotFound { return }
      try Self.check(status)
    }

    private func update(_ content: [String: Any]) -> OSStatus {
      SecItemUpdate(self.identity as CFDictionary, content as CFDictionary)
    }

    /// The attributes that identify the item. The item is not synchronized. On macOS, it is not stored in the
    /// file-based keychain, which has no protection classes.
    private var identity: [String: Any] {
      var identity: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: self.service,
        kSecAttrAccount as String: self.account,
        kSecAttrSynchronizable as String: false,
        kSecUseDataProtectionKeychain as String: true,
      ]
      if let accessGroup { identity[kSecAttrAccessGroup as String] = accessGroup }
      return identity
    }

    private static func check(_ status: OSStatus) throws(TokenStoreError) {
      switch status {
      case errSecSuccess: return
      case errSecMissingEntitlement:
        throw .unavailable(reason: "this program has no application identifier, or no access to this Keychain access group")
      case errSecInteractionNotAllowed:
        throw .unavailable(reason: "the device has not been unlocked since it started")
      case errSecNotAvailable: throw .unavailable(reason: "this system has no Keychain")
      default: throw .failed(reason: "the Keychain returned status \(status)")
      }
    }
  }
#endif
