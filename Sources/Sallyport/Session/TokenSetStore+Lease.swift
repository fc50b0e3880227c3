extension TokenSetStore {
  /// Runs `body` while holding the lease on the stored tokens, which excludes refreshes, sign-ins, and sign-outs of
  /// other tasks and processes.
  /// - Throws: The error that `body` throws, or the error of the store.
  package func withLease<R: Sendable>(
    _ body: @Sendable () async throws(SessionError) -> R
  ) async throws(SessionError) -> R {
    let result: Result<R, SessionError>
    do {
      // `withLease` of a store throws untyped errors. Returning the error of `body` as part of the result keeps its
      // type.
      result = try await self.store.withLease(on: self.session.key) {
        do throws(SessionError) {
          return .success(try await body())
        } catch {
          return .failure(error)
        }
      }
    } catch {
      throw SessionError(any: error)
    }
    return try result.get()
  }
}
