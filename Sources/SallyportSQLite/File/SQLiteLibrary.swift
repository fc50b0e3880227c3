import CSQLite

/// What is set for all of SQLite in this process, before its first use.
enum SQLiteLibrary {
  /// SQLite counts what it allocates, under one lock for all connections: readers on two threads waited for each other there more often than
  /// anywhere else (see `docs/performance.md`). Nobody asks for the count.
  ///
  /// Where somebody else in the process has used SQLite before, it goes on counting, and nothing else is different.
  static let preparation: Void = { _ = sallyport_sqlite_uncounted_memory() }()
}
