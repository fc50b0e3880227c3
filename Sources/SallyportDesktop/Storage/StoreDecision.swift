#if !os(Windows)
  import Sallyport

  /// The file that records which store ``PlatformTokenStore`` uses.
  enum StoreDecision {
    private static let name = "store"

    /// Returns `nil` if nothing has been saved yet.
    static func read(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> PlatformTokenStore.Place? {
      guard let content = try folder.read(self.name) else { return nil }
      let text = String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard let place = PlatformTokenStore.Place(rawValue: text) else {
        throw .damaged(reason: "the file that records the store has unknown content")
      }
      return place
    }

    /// The caller must hold the folder's lock, so that only the first choice is recorded.
    static func write(_ place: PlatformTokenStore.Place, in folder: borrowing PrivateFolder) throws(TokenStoreError) {
      try folder.replace(self.name, with: Array("\(place.rawValue)\n".utf8))
    }
  }
#endif
