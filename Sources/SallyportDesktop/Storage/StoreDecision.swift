#if !os(Windows)
  import Sallyport

  /// The file that says where ``PlatformTokenStore`` keeps this person's values.
  enum StoreDecision {
    private static let name = "store"

    /// nil where nothing was ever saved.
    static func read(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> PlatformTokenStore.Place? {
      guard let content = try folder.read(self.name) else { return nil }
      let text = String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let place = PlatformTokenStore.Place(rawValue: text) else {
        throw .damaged(reason: "the file that names the store is not one of ours")
      }
      return place
    }

    /// The caller holds the folder's lock, so that the first one decides.
    static func write(_ place: PlatformTokenStore.Place, in folder: borrowing PrivateFolder) throws(TokenStoreError) {
      try folder.replace(self.name, with: Array("\(place.rawValue)\n".utf8))
    }
  }
#endif
