/// How much of the store's writer the removal of what has ended takes.
struct ExpiryPace: Sendable, Equatable {
  /// Rows of one step. Each of them lies on pages of its own, all of which the commit writes that the step shares with requests: with a
  /// hundred it takes twice as long as with twenty, of which most is what any commit takes.
  var batch = 20
  /// After each step it rests so many times as long as the step took: the writer belongs to the requests.
  var rest = 4
  /// Rows that take longer than this to remove may be some of which more come than go. From then on a rest is as long as a step.
  var patience: Duration = .seconds(600)
  /// Between two rounds, once nothing is left.
  var pause: Duration = .seconds(60)

  /// How long to rest before the next step; nil where a step removed fewer rows than it might, and nothing is left.
  /// - Parameters:
  ///   - taken: the time of the step.
  ///   - passed: since the first step began.
  func rest(afterRemoving removed: Int, in taken: Duration, passed: Duration) -> Duration? {
    guard removed >= self.batch else { return nil }
    return passed > self.patience ? taken : taken * self.rest
  }
}
