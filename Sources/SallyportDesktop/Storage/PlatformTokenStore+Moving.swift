#if !os(Windows)
  import Sallyport
  import SallyportProtocol

  /// Moves values to the chosen store from two other places: the store that was chosen before, and the store that all
  /// programs shared in previews before version 0.1.
  extension PlatformTokenStore {
    /// The key of the lease under which values are moved. No value is stored under this key.
    private static let moveLease = TokenStoreKey(kind: "move", issuer: "", clientID: "")

    /// Moves the value for `key` to the chosen store, if one of the two other stores has the value. From the store that
    /// programs shared in previews, also moves all sessions of the client that `key` names.
    /// - Returns: The value, even if another task or process has moved it, or `nil` if no store has it.
    func move(_ key: TokenStoreKey) async throws(TokenStoreError) -> Secret<[UInt8]>? {
      if let earlier = try self.earlierStore(), try await earlier.load(key) != nil {
        return try await self.withMoveLease { () throws(TokenStoreError) in
          try await self.store(self.chosenPlace()).adopt(key, from: earlier)
        }
      }
      let sharedStore = self.sharedStore(for: key)
      // An app without values in the shared store must work even if that store fails.
      guard let sharedStore, (try? await sharedStore.load(key)) != nil else {
        guard let decision = try self.decision(), decision.earlier != nil || sharedStore != nil else { return nil }
        // Another task or process may have moved the value after this one looked for it in the chosen store.
        return try await self.store(decision.place).load(key)
      }
      return try await self.withMoveLease { () throws(TokenStoreError) in
        let store = try await self.store(self.chosenPlace())
        // Another task or process may have moved the value before this one got the lease.
        guard try await sharedStore.load(key) != nil else { return try await store.load(key) }
        let value = try await store.adopt(key, from: sharedStore)
        if !key.clientID.isEmpty {
          try await store.adoptSessions(of: key.clientID, from: sharedStore)
          self.report(.movedSessions(clientID: key.clientID))
        }
        return value
      }
    }

    /// Removes the value for `key` from the earlier places, so that ``move(_:)`` does not bring it back.
    func removeFromEarlierStores(_ key: TokenStoreKey) async throws(TokenStoreError) {
      try await self.earlierStore()?.remove(key)
      try await self.sharedStore(for: key)?.removeUnlessUnreadable(key)
    }

    /// Runs `body` while no other task or process moves values. Without a place to move values from, runs `body`
    /// immediately.
    func excludingMoves<R: Sendable>(
      _ body: @Sendable () async throws(TokenStoreError) -> R
    ) async throws(TokenStoreError) -> R {
      let hasEarlier = try self.decision()?.earlier != nil || self.sharedPlace != nil
      return hasEarlier ? try await self.withMoveLease(body) : try await body()
    }

    private func withMoveLease<R: Sendable>(
      _ body: @Sendable () async throws(TokenStoreError) -> R
    ) async throws(TokenStoreError) -> R {
      do {
        return try await self.withLease(on: Self.moveLease) { try await body() }
      } catch {
        // All other errors mean that the task was canceled while it waited for the lease.
        throw error as? TokenStoreError ?? .failed(reason: "the task was canceled while it waited for the lock of the store")
      }
    }

    /// The store that this application used before, or `nil` if it never used another store. Also `nil` if
    /// `SALLYPORT_STORE` is set.
    private func earlierStore() throws(TokenStoreError) -> (any TokenStore)? {
      guard let place = try self.decision()?.earlier else { return nil }
      return try self.store(place)
    }

    /// The store that all programs shared in previews before version 0.1, if it may have the value.
    ///
    /// Values without a client identifier are not moved, because it is unknown which program stored them. The list of
    /// accounts is an exception: only the `sallyport` command has one.
    private func sharedStore(for key: TokenStoreKey) -> (any TokenStore)? {
      guard !key.clientID.isEmpty || (key.kind == "accounts" && self.application == .sallyport),
        let place = self.sharedPlace
      else { return nil }
      return try? self.store(place, of: .sharedInPreviews)
    }

    /// Where all programs stored their values in previews before version 0.1, or `nil` if there are no such values.
    private var sharedPlace: Place? {
      guard self.application != .sharedInPreviews, let path = self.environment.dataFolder(.sharedInPreviews),
        FileSystem.exists(path)
      else { return nil }
      // A program that ran with the environment variable SALLYPORT_STORE used the store that the variable names, and
      // recorded no choice. The variable's current value is then the only evidence of the place.
      if let recorded = try? self.recordedDecision(of: .sharedInPreviews) { return recorded.place }
      return self.isOverridden ? (try? self.decision())?.place : nil
    }
  }

  extension TokenStore {
    /// Removes a value. If the removal fails, throws the error only if this store has the value: an app without values
    /// in the shared store must work even if that store fails. A value that cannot be read now may come back when it
    /// can be read.
    func removeUnlessUnreadable(_ key: TokenStoreKey) async throws(TokenStoreError) {
      do throws(TokenStoreError) {
        try await self.remove(key)
      } catch {
        let value = try? await self.load(key)
        if value != nil { throw error }
      }
    }
  }
#endif
