/// The names of what is in a data directory.
enum DataFiles {
  static let database = "sallyport.db"
  static let key = "key"
  /// There while a restore replaces the files, and afterwards where it was interrupted.
  static let restoring = "restoring"
  /// Begins the name of a folder in which a restore makes something ready; afterwards there only where it was interrupted.
  static let staged = ".staged-"
  /// Begins the name of a folder with what a restore has replaced.
  static let replaced = "replaced-"
  /// What SQLite keeps beside the database. A log that belongs to another database would damage the one it is found with.
  static let companions = ["-wal", "-shm", "-journal"].map { Self.database + $0 }
}
