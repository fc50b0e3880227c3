import GRDB
import SallyportServer

/// The one place where the untyped errors of GRDB become ``StoreError``.
func storing<R>(_ body: () throws -> R) throws(StoreError) -> R {
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
  /// Rows that exclude each other are a conflict; a row that is wrong in itself is a defect and is told to the operator.
  /// The statement and its arguments stay out of the text.
  init(_ error: DatabaseError) {
    switch error.extendedResultCode {
    case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID, .SQLITE_CONSTRAINT_FOREIGNKEY,
      .SQLITE_CONSTRAINT_TRIGGER:
      self = .conflict
    default:
      self = .unavailable(reason: Self.reason(error))
    }
  }

  /// What goes wrong while a database is opened and brought up to date: with the machine, which may pass, or with what stands in the file.
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
