import GRDB
import SallyportServer

/// A waiting write: the closure to run in a transaction (the body), and how to resume its caller.
///
/// ``run`` may be called more than once, in different transactions. The caller must be resumed exactly once: with
/// ``fail``, or with the ``Outcome/resume`` of one of the runs.
struct WriteRequest: Sendable {
  /// The result of a body that ran, while its caller waits for the commit.
  struct Outcome {
    /// The error that the body threw, if any.
    let failure: StoreError?
    /// Resumes the caller. The argument is the error of the commit, or nil if the commit succeeded. An error of the
    /// commit replaces a successful result of the body.
    let resume: (StoreError?) -> Void
  }

  /// Runs the body.
  let run: @Sendable (Database) -> Outcome
  /// Resumes the caller with an error if the transaction failed before the body was reached.
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
