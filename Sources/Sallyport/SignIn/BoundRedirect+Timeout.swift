extension BoundRedirect {
  /// Waits for the response, for at most the given time.
  /// - Throws: ``SignInError/timedOut``, or an error of ``response(where:)``.
  func response(
    within limit: Duration, where isResponse: @escaping @Sendable (_ callbackURL: String) -> Bool
  ) async throws -> ReceivedRedirect {
    try await withThrowingTaskGroup(of: ReceivedRedirect.self) { group in
      group.addTask { try await self.response(where: isResponse) }
      group.addTask {
        try await Task.sleep(for: limit)
        throw SignInError.timedOut
      }
      defer { group.cancelAll() }
      // The result is never nil, because the group has two tasks.
      guard let receivedRedirect = try await group.next() else { throw CancellationError() }
      return receivedRedirect
    }
  }
}
