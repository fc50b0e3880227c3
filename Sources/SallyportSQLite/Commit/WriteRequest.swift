import GRDB
import SallyportServer

/// A body that waits to run, with its caller. Exactly one of ``fail`` and ``Outcome/resume`` must be called, and only
/// once.
struct WriteRequest: Sendable {
  /// The result of a body that ran, while its caller waits for the commit.
  struct Outcome {
    /// The error that the body threw, if any.
    let failure: StoreError?
    /// Resumes the caller. If the commit failed, its error replaces a successful result.
    let resume: (StoreError?) -> Void
  }

  let run: @Sendable (Database) -> Outcome
  /// Resumes the caller of a body that has not run in the transaction that failed.
  let fail: @Sendable (StoreError) -> Void

  init<R: Sendable>(
    body: @escaping @Sendable (inout SQLiteTransaction) throws(StoreError) -> R,
    resume: @escaping @Sendable (Result<R, StoreError>) -> Void
  ) {
    self.run = { db in
      do throws(StoreError) {
        var transaction = SQLiteTransaction(db: db)
        let value = try body(&transaction)
        return Outcome(failure: nil) { commitError in resume(commitError.map { .failure($0) } ?? .success(value)) }
      } catch {
        return Outcome(failure: error) { _ in resume(.failure(error)) }
      }
    }
    self.fail = { resume(.failure($0)) }
  }
}
