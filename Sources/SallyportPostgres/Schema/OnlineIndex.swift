/// An index that a migration adds to a table that may be large.
///
/// `CREATE INDEX CONCURRENTLY` lets servers read and write the table while it runs. It does not run in a transaction.
/// If it fails, it leaves an invalid index, which is not used but is updated by each write.
struct OnlineIndex {
  let name: String
  let table: String
  /// What follows the name of the table in `CREATE INDEX`, such as `(expires_at) WHERE consumed_at IS NULL`.
  let definition: String
  var isUnique = false

  /// The statement that creates the index on a table that servers use. It must be sent alone, because statements that
  /// are sent together run in one transaction.
  var onlineCreation: String { self.creation(" CONCURRENTLY") }
  /// The statement that creates the index in a new database.
  var creation: String { self.creation("") + ";" }
  /// The statement that waits until no other session is creating an index on the table.
  var tableLock: String { "LOCK TABLE sallyport.\(self.table) IN SHARE UPDATE EXCLUSIVE MODE" }
  var removal: String { "DROP INDEX IF EXISTS sallyport.\(self.name)" }

  private func creation(_ option: String) -> String {
    "CREATE \(self.isUnique ? "UNIQUE " : "")INDEX\(option) \(self.name) ON sallyport.\(self.table) \(self.definition)"
  }
}
