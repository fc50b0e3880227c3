#if !os(Windows)
  import Crypto
  import Sallyport

  /// The key file of an ``EncryptedFileStore``: 32 random bytes, created by the first save.
  enum FileKey {
    private static let name = "key"
    private static let size = SymmetricKeySize.bits256

    static func existing(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> SymmetricKey? {
      guard let bytes = try folder.read(self.name) else { return nil }
      guard bytes.count * 8 == self.size.bitCount else { throw .damaged(reason: "the key file has the wrong length") }
      return SymmetricKey(data: bytes)
    }

    /// Returns the key, and creates it if there is none. A damaged key is replaced, because it cannot decrypt anything.
    /// The caller must hold the folder's lock, so that two processes don't create different keys.
    static func existingOrNew(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> SymmetricKey {
      do {
        if let key = try self.existing(in: folder) { return key }
      } catch .damaged {
        // Continues as if there were no key.
      }
      let key = SymmetricKey(size: self.size)
      try folder.replace(self.name, with: key.withUnsafeBytes(Array.init))
      return key
    }
  }
#endif
