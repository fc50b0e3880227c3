/// How much of the store's write capacity the removal of expired rows uses.
struct ExpiryPace: Sendable, Equatable {
  /// The maximum number of rows that one step removes. A step shares its commit with the writes of requests, which must
  /// not wait long. Because the rows are on different pages of the database, a commit that removes 100 rows takes twice
  /// as long as a commit that removes 20. A commit that removes 20 takes little longer than a commit that removes none.
  var batch = 20
  /// The pause after a step, as a multiple of the duration of the step, so that most of the capacity is left for
  /// requests.
  var pauseFactor = 4
  /// How long the removal makes full pauses. If expired rows are left after this time, rows may be expiring faster than
  /// they are removed. From then on, a pause is only as long as the step before it.
  var fullPauseLimit: Duration = .seconds(600)
  /// How long to wait, once no expired rows are left, before looking for expired rows again.
  var roundPause: Duration = .seconds(60)

  /// Returns the pause before the next step, or nil if no expired rows are left.
  /// - Parameters:
  ///   - removed: The number of rows that the step removed.
  ///   - taken: The duration of the step.
  ///   - elapsed: The time since the first step began.
  func pause(afterRemoving removed: Int, in taken: Duration, elapsed: Duration) -> Duration? {
    guard removed >= self.batch else { return nil }
    return elapsed > self.fullPauseLimit ? taken : taken * self.pauseFactor
  }
}
