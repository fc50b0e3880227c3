import GRDB
import SallyportServer

/// Converts the untyped errors of GRDB to ``StoreError``.
func convertingErrors<R>(_ body: () throws -> R) throws(StoreError) -> R {
  do {
    return try body()
  } catch let error as StoreError {
    throw error
  } catch let error as DatabaseError {
    throw StoreError(error)
  } catch {
    throw .unavailable(reason: "\(type(of: error))")
  }
}

extension StoreError {
  /// Maps violations of uniqueness, foreign keys, and triggers to a conflict, and a damaged file to `unusable`. Any
  /// other error, such as a violation of a `CHECK` constraint, is reported as unavailable. The message includes neither
  /// the statement nor its arguments.
  init(_ error: DatabaseError) {
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID, .SQLITE_CONSTRAINT_FOREIGNKEY,
      .SQLITE_CONSTRAINT_TRIGGER:
      self = .conflict
    default:
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .unusable(reason: Self.reason(error))
      default: self = .unavailable(reason: Self.reason(error))
      }
    }
  }

  /// Maps an error that occurs while the database is opened or migrated: to `unusable` if the content of the file
  /// causes it, and to `unavailable` if the cause may be temporary.
  init(opening error: DatabaseError) {
    switch error.resultCode {
    case .SQLITE_ERROR, .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT: self = .unusable(reason: Self.reason(error))
    default: self = .unavailable(reason: Self.reason(error))
    }
  }

  private static func reason(_ error: DatabaseError) -> String {
    "SQLite error \(error.extendedResultCode.rawValue): \(error.message ?? "no message")"
  }
}
