import SallyportProtocol

extension Course {
  /// Runs concurrent steps on two servers, and searches for an order in which the model gives the same responses and
  /// reaches the same state as the store.
  /// - Returns: A description of what happened if there is no such order.
  static func failure(of crowd: Crowd, on bench: Bench) async throws -> String? {
    var course = try await Course(on: bench)
    for (index, step) in crowd.before.steps.enumerated() {
      if let failure = try await course.take(step, by: index) { return "before, at \(step): \(failure)" }
    }
    let actions = crowd.steps.compactMap { course.model.resolve($0) }
    let observed = try await course.performAtOnce(actions)
    var lastDifference = "no order matches the responses"
    for order in Self.orders(of: actions.count) {
      guard var end = course.course(actions, observed, in: order) else { continue }
      // A cookie or URL that was issued is not checked again.
      end.names.interactions = course.names.interactions
      guard let difference = try await end.differences(seenBy: 0).first else { return nil }
      lastDifference = difference
    }
    let responses = zip(actions, observed).map { "\($0.step): \(Self.summary($1))" }.joined(separator: "\n")
    return "no order explains this (\(lastDifference)):\n\(responses)"
  }

  private func performAtOnce(_ actions: [Action]) async throws -> [Observed] {
    try await withThrowingTaskGroup(of: (Int, Observed).self) { group in
      for (index, action) in actions.enumerated() {
        group.addTask { (index, try await self.perform(action, by: index)) }
      }
      var observed: [Int: Observed] = [:]
      for try await (index, response) in group { observed[index] = response }
      return actions.indices.compactMap { observed[$0] }
    }
  }

  /// Returns the state of the model after this order; nil if a response does not match.
  private func course(_ actions: [Action], _ observed: [Observed], in order: [Int]) -> Course? {
    var course = self
    for index in order {
      let expected = course.model.apply(actions[index])
      let failure = course.names.take(observed[index], of: actions[index], expecting: expected, startedAt: self.startedAt)
      if failure != nil { return nil }
    }
    return course
  }

  static func orders(of count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return self.orders(of: count - 1).flatMap { order in
      (0...order.count).map { place in Array(order[..<place] + [count - 1] + order[place...]) }
    }
  }

  private static func summary(_ observed: Observed) -> String {
    if case .tokens(let response) = observed {
      return "tokens, refresh token ending in \(response.refreshToken?.reveal().suffix(6) ?? "-")"
    }
    return "\(observed)"
  }
}
