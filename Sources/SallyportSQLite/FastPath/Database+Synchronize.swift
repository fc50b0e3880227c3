import GRDB
import GRDBSQLite

extension Database {
  /// Syncs the database file to disk after a checkpoint has moved pages from the log to the file. Uses SQLite's own
  /// file object.
  ///
  /// SQLite itself syncs the file only after a checkpoint that moves the whole log. While the writer is busy, only the
  /// writer's own checkpoints move the whole log. Without this method, the writer would wait in its checkpoint until
  /// the pages of all earlier checkpoints are on disk. If this sync fails, the writer's next checkpoint syncs the file.
  func synchronizeFile() {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(self.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file else { return }
    _ = file.pointee.pMethods.pointee.xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY)
  }
}
