import CSQLite

/// Process-wide SQLite settings, applied before the first use.
enum SQLiteLibrary {
  /// Turns off SQLite's memory statistics. They are guarded by one lock for all connections, which readers on different
  /// threads contended for more than for any other.
  ///
  /// This has no effect if other code in the process has already used SQLite.
  static let preparation: Void = { _ = sallyport_sqlite_uncounted_memory() }()
}
