import GRDB
import SallyportServer

extension DatabaseFile {
  /// Gives the database what another file holds, as one transaction. Readers and writers of the old state may be at work, in any process:
  /// reading goes on, writes wait.
  /// - Parameters:
  ///   - source: has the same size of pages, which all databases of this store have.
  ///   - aside: a new file, for what the database held at the last moment before.
  func replaceContent(by source: DatabaseFile, keeping aside: String) throws(StoreError) {
    let (target, source) = (try self.openWriter(), try source.openReader())
    try storing {
      defer { for connection in [target, source] { try? connection.close() } }
      var isKept = false
      // The first page takes the writer's lock, which is held to the end. So what is kept is exactly what is replaced.
      try source.backup(to: target, pagesPerStep: 1) { _ in
        guard !isKept else { return }
        try self.copy(to: aside)
        isKept = true
      }
      // What does not get into the file now does so with the next checkpoint.
      target.writeWithoutTransaction { db in _ = try? db.checkpoint(.passive) }
    }
  }
}
