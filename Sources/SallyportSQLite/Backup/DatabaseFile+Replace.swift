import GRDB
import SallyportServer

extension DatabaseFile {
  /// Replaces the content of this database with the content of another file, in one transaction. Other processes can
  /// keep reading, and their writes wait.
  /// - Parameters:
  ///   - source: The database with the new content. It must have the same page size, as all databases of this store do.
  ///   - beforehand: Runs under the write lock, while all connections still see the old content. If it throws, the
  ///     content stays unchanged.
  func replaceContent(by source: DatabaseFile, beforehand: @escaping () throws -> Void) throws {
    let (target, source) = (try self.openWriter(), try source.openReader())
    defer { for connection in [target, source] { try? connection.close() } }
    var hasRun = false
    do {
      // Copying the first page takes the write lock, which is held until the end. No other connection sees the page
      // before the copy is complete. The closure runs after each page, and calls `beforehand` after the first one.
      try source.backup(to: target, pagesPerStep: 1) { _ in
        guard !hasRun else { return }
        try beforehand()
        hasRun = true
      }
    } catch let error as DatabaseError {
      // Only the result code is used, because GRDB reads the message before SQLite has set it.
      throw StoreError(DatabaseError(resultCode: error.extendedResultCode))
    }
    // If this checkpoint fails or cannot move all pages, the next checkpoint moves the rest to the database file.
    target.writeWithoutTransaction { db in _ = try? db.checkpoint(.passive) }
  }
}
