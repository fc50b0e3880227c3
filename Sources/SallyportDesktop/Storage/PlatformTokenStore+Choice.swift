#if !os(Windows)
  public import Sallyport
  import SallyportProtocol

  extension PlatformTokenStore {
    /// Which store is used, and why.
    public struct Status: Sendable, Equatable {
      /// The store that is in use, or that the first save would choose now.
      public var place: Place
      /// Whether `SALLYPORT_STORE` determines the store.
      public var isOverridden = false
      /// Whether the store was chosen earlier, when a value was saved or moved. False if ``isOverridden``.
      public var isRecorded = false
      /// A store that may still contain values, which move to ``place`` when they are next used.
      public var earlierPlace: Place?
      /// Why no better store is used. `nil` if this is the best store, or if the choice was made earlier or by
      /// `SALLYPORT_STORE`.
      public var reason: String?
      /// The folder with the encrypted files and the locks, or `nil` if the environment determines no folder.
      public var folder: String?
    }

    /// Returns which store is used. If none has been chosen yet, this method checks which store is available.
    public func status() async throws(TokenStoreError) -> Status {
      if let decision = try self.decision() {
        return Status(
          place: decision.place, isOverridden: self.isOverridden, isRecorded: !self.isOverridden,
          earlierPlace: decision.earlier, folder: self.folder)
      }
      let (place, reason) = await self.availablePlace()
      return Status(place: place, reason: reason, folder: self.folder)
    }

    /// The store that is in use, or that the first save would choose now; see ``status()``.
    public func place() async throws(TokenStoreError) -> Place { try await self.status().place }

    /// The value of `SALLYPORT_STORE`.
    private var override: String? { self.environment["SALLYPORT_STORE"] }

    var isOverridden: Bool { self.override != nil }

    /// The store according to `SALLYPORT_STORE`, otherwise according to the recorded choice; `nil` if there is neither.
    func decision() throws(TokenStoreError) -> StoreDecision? {
      if let override = self.override {
        guard let place = Place(rawValue: override) else {
          throw .unavailable(
            reason: "SALLYPORT_STORE must be secret-service, keychain, or file, not \"\(override)\"")
        }
        return StoreDecision(place: place)
      }
      return try self.recordedDecision(of: self.application)
    }

    func recordedDecision(of application: ApplicationName) throws(TokenStoreError) -> StoreDecision? {
      guard let path = self.environment.dataFolder(application) else { throw .noHome }
      guard let folder = try PrivateFolder(existing: path) else { return nil }
      return try StoreDecision.read(in: folder)
    }

    /// Returns the chosen place. If none has been chosen, chooses the best available place, and records this choice
    /// before anything is stored.
    func chosenPlace() async throws(TokenStoreError) -> Place {
      if let place = try self.decision()?.place { return place }
      let (available, reason) = await self.availablePlace()
      let (decision, isNew) = try await self.record { $0 ?? StoreDecision(place: available) }
      if isNew { self.report(.chosen(decision.place, reason: reason)) }
      return decision.place
    }

    /// If the values are in the encrypted file and a better store has become available, saves a value there and records
    /// this choice.
    ///
    /// A Secret Service may ask the user to unlock it, but the new tokens of a refresh must be stored immediately.
    /// Therefore, saving tokens, which have the kind `grant`, never switches to the better store. Saving other values
    /// does, for example the value that is saved when a sign-in starts.
    /// - Returns: Whether the value was saved.
    func saveInBetterPlace(_ value: Secret<[UInt8]>, for key: TokenStoreKey) async throws(TokenStoreError) -> Bool {
      guard key.kind != "grant", !self.isOverridden, try self.decision()?.place == .encryptedFile else { return false }
      let (available, _) = await self.availablePlace()
      guard available != .encryptedFile else { return false }
      do {
        try await self.store(available).save(value, for: key)
      } catch {
        // For example, the user did not unlock the service. The encrypted file remains the choice.
        return false
      }
      let (_, isNew) = try await self.record { _ in StoreDecision(place: available, earlier: .encryptedFile) }
      if isNew { self.report(.changed(from: .encryptedFile, to: available)) }
      try await self.store(.encryptedFile).remove(key)
      return true
    }

    /// Changes the recorded decision while holding the folder's lock.
    /// - Returns: The decision, and whether it differs from the previously recorded decision.
    private func record(
      _ change: @escaping @Sendable (StoreDecision?) -> StoreDecision
    ) async throws(TokenStoreError) -> (StoreDecision, isNew: Bool) {
      guard let path = self.folder else { throw .noHome }
      return try await DedicatedThread.run("store") { () throws(TokenStoreError) in
        let folder = try PrivateFolder(creating: path)
        try folder.lock()
        let previousDecision = try StoreDecision.read(in: folder)
        let decision = change(previousDecision)
        guard decision != previousDecision else { return (decision, false) }
        try decision.write(in: folder)
        return (decision, true)
      }
    }

    /// The best store that is available now, and why no better store is available.
    private func availablePlace() async -> (Place, reason: String?) {
      do throws(TokenStoreError) {
        return (try await self.probedPlace(), nil)
      } catch {
        guard case .unavailable(let reason) = error else { return (.encryptedFile, "\(error)") }
        return (.encryptedFile, reason)
      }
    }

    /// The best store of this system.
    /// - Throws: Why it is not available.
    private func probedPlace() async throws(TokenStoreError) -> Place {
      #if os(Linux)
        try await SecretServiceStore(application: self.application, environment: self.environment).probe()
        return .secretService
      #elseif canImport(Security)
        try await KeychainTokenStore(service: self.application.description).probe()
        return .keychain
      #else
        return .encryptedFile
      #endif
    }
  }
#endif
