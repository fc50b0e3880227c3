#if !os(Windows)
  import Sallyport

  /// The record of the token store that ``PlatformTokenStore`` chose, in a file named `store`. The first line of the
  /// file names the chosen store. A second line, if any, names the store that was chosen before.
  struct StoreDecision: Equatable {
    var place: PlatformTokenStore.Place
    /// The store that was chosen before, if it may still contain values. A value is moved to `place` when the value is
    /// next used.
    var earlier: PlatformTokenStore.Place?

    private static let name = "store"

    /// Returns `nil` if no choice has been recorded.
    static func read(in folder: borrowing PrivateFolder) throws(TokenStoreError) -> StoreDecision? {
      guard let content = try folder.read(self.name) else { return nil }
      let lines = String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      let places = lines.filter { !$0.isEmpty }.map { PlatformTokenStore.Place(rawValue: String($0)) }
      // `places.first` is nil for an empty file, and contains nil if the first line names an unknown store.
      guard let place = places.first ?? nil else {
        throw .damaged(reason: "the file that records the store has unknown content")
      }
      return StoreDecision(place: place, earlier: places.count > 1 ? places[1] : nil)
    }

    /// Replaces the recorded choice. The caller must hold the folder's lock from reading the previous choice until this
    /// call returns. Otherwise, this call could overwrite a choice that another process has just recorded.
    func write(in folder: borrowing PrivateFolder) throws(TokenStoreError) {
      let lines = [self.place, self.earlier].compactMap { $0.map { "\($0.rawValue)\n" } }
      try folder.replace(Self.name, with: Array(lines.joined().utf8))
    }
  }
#endif
