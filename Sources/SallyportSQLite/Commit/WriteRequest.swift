import GRDB
import SallyportServer

/// One caller's body, waiting for its turn. Exactly one of ``fail`` and the outcome's ``Outcome/settle`` is called, once.
struct WriteRequest: Sendable {
  /// A body that has run, and whose caller still waits for the commit.
  struct Outcome {
    /// What the body threw.
    let failure: StoreError?
    /// Lets the caller go on. A lost commit turns a success into that error.
    let settle: (StoreError?) -> Void
  }

  let run: @Sendable (Database) -> Outcome
  /// For a body that never ran.
  let fail: @Sendable (StoreError) -> Void

  init<R: Sendable>(
    body: @escaping @Sendable (inout SQLiteTransaction) throws(StoreError) -> R,
    resume: @escaping @Sendable (Result<R, StoreError>) -> Void
  ) {
    self.run = { db in
      do throws(StoreError) {
        var transaction = SQLiteTransaction(db: db)
        let value = try body(&transaction)
        return Outcome(failure: nil) { lost in resume(lost.map { .failure($0) } ?? .success(value)) }
      } catch {
        return Outcome(failure: error) { _ in resume(.failure(error)) }
      }
    }
    self.fail = { resume(.failure($0)) }
  }
}
