import GRDB
import SallyportServer

extension Database {
  /// Runs a statement that has no arguments and gives no rows. It is prepared once.
  func statement(_ sql: String) throws(StoreError) {
    try storing { try self.cachedStatement(sql: sql).execute() }
  }
}
