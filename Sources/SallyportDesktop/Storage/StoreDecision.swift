#if !os(Windows)
  import Sallyport

  /// The file that records which store ``PlatformTokenStore`` uses: the store and, in a second line, the one that it
  /// used before.
  struct StoreDecision: Equatable {
    var place: PlatformTokenStore.Place
    /// A store that may still contain values. A value is moved when it is next used.
    var earlier: PlatformTokenStore.Place?

    private static let name = "store"

    /// Returns `nil` if nothing has been saved yet.
    static func read(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> StoreDecision? {
      guard let content = try folder.read(self.name) else { return nil }
      let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      let places = lines.filter { !$0.isEmpty }.map { PlatformTokenStore.Place(rawValue: String($0)) }
      guard let place = places.first ?? nil else {
        throw .damaged(reason: "the file that records the store has unknown content")
      }
      return StoreDecision(place: place, earlier: places.count > 1 ? places[1] : nil)
    }

    /// The caller must hold the folder's lock, so that no choice of another process is overwritten unnoticed.
    func write(in folder: borrowing PrivateFolder) throws(TokenStoreError) {
      let lines = [self.place, self.earlier].compactMap { $0.map { "\($0.rawValue)\n" } }
      try folder.replace(Self.name, with: Array(lines.joined().utf8))
    }
  }
#endif
