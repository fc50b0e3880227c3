/// The names of the files and folders in a data directory.
enum DataFiles {
  static let database = "sallyport.db"
  static let key = "key"
  /// The public parts of the signing keys, if the database is in PostgreSQL (``PublishedKeyFile``).
  static let publishedKeys = "jwks.json"
  /// The issuer with which the server first ran with the directory (``IssuerFile``).
  static let issuer = "issuer"
  /// A marker folder that exists while a restore replaces the files. It remains if the restore is interrupted.
  static let restoring = "restoring"
  /// The prefix of a folder in which a restore prepares files. The folder remains if the restore is interrupted.
  static let staged = ".staged-"
  /// The prefix of a folder that contains the data that a restore replaced.
  static let replaced = "replaced-"
  /// SQLite's files next to the database. A restore moves them away with the old database, because the old write-ahead
  /// log would damage the new database.
  static let companions = ["-wal", "-shm", "-journal"].map { Self.database + $0 }
}
