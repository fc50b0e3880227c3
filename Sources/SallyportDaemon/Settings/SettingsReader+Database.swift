import SallyportPostgres
import SallyportServer

extension SettingsReader {
  /// Reads the address of a PostgreSQL database; nil for a SQLite database in the data directory.
  mutating func readDatabase() -> PostgresAddress? {
    guard let given = self.given(.database), let url = given.values.first else { return nil }
    do throws(StoreError) { return try PostgresAddress(url) } catch {
      // The value is not quoted, because it can contain a password.
      self.report(.database, "cannot be used: \(error.reason)")
      return nil
    }
  }
}
