import GRDB
import SallyportServer

extension DatabaseFile {
  /// Gives the database what another file holds, as one transaction. Readers and writers of the old state may be at work, in any process:
  /// reading goes on, writes wait.
  /// - Parameters:
  ///   - source: has the same size of pages, which all databases of this store have.
  ///   - keep: runs while nobody can write, before anything is replaced; where it throws, nothing is.
  func replaceContent(by source: DatabaseFile, keep: @escaping () throws -> Void) throws {
    let (target, source) = (try self.openWriter(), try source.openReader())
    defer { for connection in [target, source] { try? connection.close() } }
    var isKept = false
    do {
      // The first page takes the writer's lock, which is held to the end.
      try source.backup(to: target, pagesPerStep: 1) { _ in
        guard !isKept else { return }
        try keep()
        isKept = true
      }
    } catch let error as DatabaseError {
      // GRDB asks for the message before SQLite has one.
      throw StoreError(DatabaseError(resultCode: error.extendedResultCode))
    }
    // What does not get into the file now does so with the next checkpoint.
    target.writeWithoutTransaction { db in _ = try? db.checkpoint(.passive) }
  }
}
