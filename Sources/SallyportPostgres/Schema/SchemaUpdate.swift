import SallyportServer

/// Creates the schema, and applies the migrations that the database does not have yet.
struct SchemaUpdate {
  /// The key of the advisory lock that is held while the schema is created or migrated. A random number.
  private static var lock: Int64 { 4_735_919_203_568_846 }
  /// How long each exchange with the server may take, such as the creation of the schema or one migration.
  private static var timeout: Duration { .seconds(60) }

  let setup: SessionSetup

  private var connection: PostgresConnection { self.setup.connection }

  /// Applies everything that is missing, one transaction for each migration. If several servers do this at once, one of
  /// them does it while the others wait.
  /// - Parameter role: A role that gets the rights that a server needs; nil to grant nothing.
  /// - Throws: ``StoreError/unusable(reason:)`` if PostgreSQL rejects a change, for example because the role of the
  ///   connection may not change the schema, or if a newer version of Sallyport wrote the schema;
  ///   ``StoreError/unavailable(reason:)``
  func apply(grantingTo role: String? = nil) throws(StoreError) {
    while try self.applyNext() {}
    guard let role else { return }
    _ = try self.inTransaction { () throws(StoreError) in
      try self.run(Schema.grants(to: role), "rights cannot be granted")
      return true
    }
  }

  /// Creates the schema, or applies the next migration.
  /// - Returns: False if nothing is missing.
  private func applyNext() throws(StoreError) -> Bool {
    try self.inTransaction { () throws(StoreError) in
      switch try self.setup.schemaState(until: .now + Self.timeout) {
      case .absent: try self.run(Schema.script, "the schema 'sallyport' cannot be created")
      case .present(let migration):
        guard let next = Schema.migrations.first(where: { $0.number > migration }) else { return false }
        try self.run(next.script, "the schema 'sallyport' cannot be migrated")
      }
      return true
    }
  }

  private func inTransaction(_ body: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
    _ = try self.setup.run(until: .now + Self.timeout) { () throws(ConnectionError) in
      try self.connection.enqueue("BEGIN")
      try self.connection.enqueue("SELECT pg_advisory_xact_lock($1)", [Self.lock])
    }
    let result = try body()
    _ = try self.setup.run(until: .now + Self.timeout) { () throws(ConnectionError) in
      try self.connection.enqueue("COMMIT")
    }
    return result
  }

  /// - Parameter failure: The beginning of the error message if PostgreSQL rejects the script.
  private func run(_ script: String, _ failure: String) throws(StoreError) {
    do throws(ConnectionError) { try self.connection.run(script: script, until: .now + Self.timeout) } catch {
      self.connection.close()
      guard case .rejected(let rejection) = error else { throw .unavailable(reason: error.reason) }
      let advice =
        rejection.state == "42501" ? "; run 'sallyportd store init' with a role that may, such as the owner of the database" : ""
      throw .unusable(reason: "\(failure): \(rejection.description)\(advice)")
    }
  }
}
