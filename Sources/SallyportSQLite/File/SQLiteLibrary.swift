import CSQLite

/// Process-wide SQLite settings, applied before the first use.
enum SQLiteLibrary {
  /// Turns off SQLite's memory statistics. One lock for all connections guards the statistics, and readers on different
  /// threads would wait for it more often than for any other lock.
  ///
  /// This has no effect if other code in the process has already used SQLite.
  static let preparation: Void = { _ = sallyport_sqlite_uncounted_memory() }()
}
