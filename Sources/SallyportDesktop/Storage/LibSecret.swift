import SallyportSystem

#if os(Linux)
  import Sallyport
  import SallyportProtocol

  #if canImport(Glibc)
    import Glibc
  #else
    import Musl
  #endif

  /// The simple, blocking API of libsecret, loaded at run time. Only non-variadic functions are used, because Swift
  /// cannot call variadic C functions.
  ///
  /// The struct is sendable, because it contains only a handle of the library. libsecret and GLib are never unloaded,
  /// and the functions that are used can be called on any thread.
  struct LibSecret: Sendable {
    private typealias Pointer = UnsafeMutableRawPointer
    private typealias Failure = UnsafeMutablePointer<Pointer?>
    private typealias LookUp = @Sendable @convention(c) (Pointer?, Pointer?, Pointer?, Failure?) -> UnsafeMutablePointer<CChar>?
    private typealias Store =
      @Sendable @convention(c) (
        Pointer?, Pointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Pointer?, Failure?
      ) -> Int32
    private typealias Clear = @Sendable @convention(c) (Pointer?, Pointer?, Pointer?, Failure?) -> Int32
    private typealias Search =
      @Sendable @convention(c) (Pointer?, Pointer?, Pointer?, Int32, Pointer?, Failure?) -> Pointer?
    private typealias NewSchema = @Sendable @convention(c) (UnsafePointer<CChar>?, Int32, Pointer?) -> Pointer?
    private typealias NewTable = @Sendable @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Pointer?
    private typealias Insert = @Sendable @convention(c) (Pointer?, Pointer?, Pointer?) -> Int32
    private typealias Duplicate = @Sendable @convention(c) (UnsafePointer<CChar>?) -> Pointer?
    private typealias Make = @Sendable @convention(c) () -> Pointer?
    private typealias Free = @Sendable @convention(c) (Pointer?) -> Void
    private typealias FreeList = @Sendable @convention(c) (Pointer?, Pointer?) -> Void

    private let symbols: SharedLibrary

    /// - Throws: ``TokenStoreError/unavailable(reason:)`` if libsecret is not installed.
    init() throws(TokenStoreError) {
      guard let symbols = SharedLibrary("libsecret-1.so.0") else { throw .unavailable(reason: "libsecret is not installed") }
      self.symbols = symbols
    }

    /// Returns the secret with these attributes, or `nil` if there is none.
    func lookUp(
      _ attributes: [String: String], _ cancellation: SecretServiceCancellation
    ) throws(TokenStoreError) -> Secret<String>? {
      let lookUp = try self.symbols.requiredFunction("secret_password_lookupv_sync", as: LookUp.self)
      let free = try self.symbols.requiredFunction("secret_password_free", as: Free.self)
      let schema = try self.schema()
      defer { self.call("secret_schema_unref", schema) }
      let table = try self.table(attributes)
      defer { self.call("g_hash_table_unref", table) }
      let password = try self.checked { lookUp(schema, table, Pointer(bitPattern: cancellation.address), $0) }
      guard let password else {
        try self.requireUnlocked(schema, table, cancellation)
        return nil
      }
      // secret_password_free overwrites the text before it frees the memory.
      defer { free(password) }
      return Secret(String(cString: password))
    }

    /// Stores the secret in the default collection. Replaces an existing secret with the same attributes.
    func store(
      _ secret: Secret<String>, _ attributes: [String: String], label: String, _ cancellation: SecretServiceCancellation
    ) throws(TokenStoreError) {
      let store = try self.symbols.requiredFunction("secret_password_storev_sync", as: Store.self)
      let schema = try self.schema()
      defer { self.call("secret_schema_unref", schema) }
      let table = try self.table(attributes)
      defer { self.call("g_hash_table_unref", table) }
      let cancellable = Pointer(bitPattern: cancellation.address)
      let stored = try self.checked { store(schema, table, "default", label, secret.reveal(), cancellable, $0) }
      guard stored != 0 else { throw .failed(reason: "the Secret Service did not store the value") }
    }

    /// Removes the secret with these attributes, if there is one.
    func clear(_ attributes: [String: String], _ cancellation: SecretServiceCancellation) throws(TokenStoreError) {
      let clear = try self.symbols.requiredFunction("secret_password_clearv_sync", as: Clear.self)
      let schema = try self.schema()
      defer { self.call("secret_schema_unref", schema) }
      let table = try self.table(attributes)
      defer { self.call("g_hash_table_unref", table) }
      _ = try self.checked { clear(schema, table, Pointer(bitPattern: cancellation.address), $0) }
      // If the collection is locked, the call removes nothing, but reports the same as if there were no item.
      try self.requireUnlocked(schema, table, cancellation)
    }

    /// Throws if an item with these attributes exists. Call this after a lookup that found no item, and after a
    /// removal: an item that exists then is in a locked collection. If the user declines to unlock the collection,
    /// libsecret reports the same as for an item that doesn't exist.
    private func requireUnlocked(
      _ schema: UnsafeMutableRawPointer, _ table: UnsafeMutableRawPointer, _ cancellation: SecretServiceCancellation
    ) throws(TokenStoreError) {
      let search = try self.symbols.requiredFunction("secret_service_search_sync", as: Search.self)
      let freeList = try self.symbols.requiredFunction("g_list_free_full", as: FreeList.self)
      // 2 is SECRET_SEARCH_ALL: return all matches, and unlock none.
      let items = try self.checked { search(nil, schema, table, 2, Pointer(bitPattern: cancellation.address), $0) }
      guard let items else { return }
      freeList(items, self.symbols.address("g_object_unref"))
      throw .unavailable(reason: "the keyring is locked")
    }

    /// Creates a `GCancellable` and returns its address, or 0 if that fails.
    func makeCancellable() -> UInt {
      let make = self.symbols.function("g_cancellable_new", as: Make.self)
      return UInt(bitPattern: make?())
    }

    func cancel(_ cancellable: UInt) {
      if let pointer = Pointer(bitPattern: cancellable) { self.call("g_cancellable_cancel", pointer) }
    }

    func release(_ cancellable: UInt) {
      if let pointer = Pointer(bitPattern: cancellable) { self.call("g_object_unref", pointer) }
    }

    /// The schema of all stored secrets. Every attribute is a string: libsecret reads each value of the table not as a
    /// pointer but as an attribute type, and `nil` is 0, which is `SECRET_SCHEMA_ATTRIBUTE_STRING`.
    private func schema() throws(TokenStoreError) -> UnsafeMutableRawPointer {
      let make = try self.symbols.requiredFunction("secret_schema_newv", as: NewSchema.self)
      let types = try self.table(
        ["application": nil, "kind": nil, "issuer": nil, "client_id": nil, "account": nil] as [String: String?])
      defer { self.call("g_hash_table_unref", types) }
      // 0 is SECRET_SCHEMA_NONE: no flags.
      guard let schema = make("sallyport.Secret", 0, types) else {
        throw .failed(reason: "libsecret could not create a schema")
      }
      return schema
    }

    /// Creates a hash table that owns copies of these texts.
    private func table(_ entries: [String: String?]) throws(TokenStoreError) -> UnsafeMutableRawPointer {
      let make = try self.symbols.requiredFunction("g_hash_table_new_full", as: NewTable.self)
      let insert = try self.symbols.requiredFunction("g_hash_table_insert", as: Insert.self)
      let duplicate = try self.symbols.requiredFunction("g_strdup", as: Duplicate.self)
      let free = self.symbols.address("g_free")
      guard let table = make(self.symbols.address("g_str_hash"), self.symbols.address("g_str_equal"), free, free) else {
        throw .failed(reason: "GLib could not create a hash table")
      }
      for (name, value) in entries { _ = insert(table, duplicate(name), value.flatMap { duplicate($0) }) }
      return table
    }

    /// Calls a function that reports failures through a `GError`, and throws the failure.
    private func checked<R>(_ body: (Failure) -> R) throws(TokenStoreError) -> R {
      var failure: Pointer?
      let result = body(&failure)
      guard let failure else { return result }
      defer { self.call("g_error_free", failure) }
      let reason =
        failure.assumingMemoryBound(to: GLibError.self).pointee.message.map { String(cString: $0) } ?? "no reason given"
      throw .unavailable(reason: "the Secret Service returned an error: \(reason.prefix(200))")
    }

    private func call(_ function: String, _ argument: UnsafeMutableRawPointer) {
      if let function = self.symbols.function(function, as: Free.self) { function(argument) }
    }
  }

  /// GLib's `GError`.
  private struct GLibError {
    var domain: UInt32
    var code: Int32
    var message: UnsafeMutablePointer<CChar>?
  }
#endif
